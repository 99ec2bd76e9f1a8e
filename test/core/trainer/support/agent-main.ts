import { BUILTINS } from "../../../../cli/builtins.js";
import { lineLogger } from "../../../../core/host/index.js";
import { runAgentThread } from "../../../../core/index.js";
import { fakePlugin } from "./fake-plugin.js";
import { faultyPlugin } from "./faulty-plugin.js";

/** Entry of the threads that run agent loops in toy runs. */
await runAgentThread({ builtins: [...BUILTINS, fakePlugin, faultyPlugin], logger: lineLogger(() => {}) }).catch(
  () => {},
);
