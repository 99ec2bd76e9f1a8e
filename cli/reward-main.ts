import { lineLogger } from "../core/host/index.js";
import { runRewardWorker } from "../core/index.js";
import { BUILTINS } from "./builtins.js";

/** Entry of the threads that score (`reward.reward_manager.name: remote`). What plugins warn of, the driver has said. */
const logger = lineLogger((line) => process.stderr.write(`${line}\n`), "error");
await runRewardWorker({ builtins: BUILTINS, logger }).catch(() => {
  // The driver has been told why.
});
