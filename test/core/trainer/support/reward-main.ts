import { BUILTINS } from "../../../../cli/builtins.js";
import { lineLogger } from "../../../../core/host/index.js";
import { runRewardWorker } from "../../../../core/index.js";
import { fakePlugin } from "./fake-plugin.js";
import { faultyPlugin } from "./faulty-plugin.js";

/** Entry of the reward workers of toy runs. */
await runRewardWorker({ builtins: [...BUILTINS, fakePlugin, faultyPlugin], logger: lineLogger(() => {}) }).catch(
  () => {},
);
