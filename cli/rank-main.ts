import { lineLogger } from "../core/host/index.js";
import { runRankProcess } from "../core/index.js";
import { BUILTINS } from "./builtins.js";

/** Entry of the further processes of a data-parallel run. What plugins warn of, rank 0 has said already. */
const logger = lineLogger((line) => process.stderr.write(`${line}\n`), "error");
await runRankProcess({ builtins: BUILTINS, logger }).catch(() => {
  // The driver has been told why.
  process.exitCode = 1;
  process.disconnect?.();
});
