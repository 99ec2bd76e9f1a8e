import { BUILTINS } from "../../../../cli/builtins.js";
import { lineLogger } from "../../../../core/host/index.js";
import { runRankProcess } from "../../../../core/index.js";
import { fakePlugin } from "./fake-plugin.js";
import { faultyPlugin } from "./faulty-plugin.js";

/** Entry of the further training processes of toy runs. */
await runRankProcess({ builtins: [...BUILTINS, fakePlugin, faultyPlugin], logger: lineLogger(() => {}) }).catch(() => {
  process.exitCode = 1;
  process.disconnect?.();
});
