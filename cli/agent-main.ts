import { lineLogger } from "../core/host/index.js";
import { runAgentThread } from "../core/index.js";
import { BUILTINS } from "./builtins.js";

/** Entry of the threads that run agent loops (`thread: true`). What plugins warn of, the driver has said. */
const logger = lineLogger((line) => process.stderr.write(`${line}\n`), "error");
await runAgentThread({ builtins: BUILTINS, logger }).catch(() => {
  // The driver has been told why.
});
