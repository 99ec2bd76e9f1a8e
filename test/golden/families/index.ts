import type { Family } from "../case.js";
import { aggLossFamily } from "./agg-loss.js";
import { klFamily } from "./kl.js";
import { lrScheduleFamily } from "./lr-schedule-optimizer.js";
import { maskedOpsFamily } from "./masked-ops.js";
import { policyLossFamily } from "./policy-loss.js";
import { seqlenBalancingFamily } from "./seqlen-balancing.js";
import { valueLossFamily, workerLossesFamily } from "./value-worker-losses.js";

/** Every family of vectors that the project runs. */
export const families: Readonly<Record<string, Family>> = {
  agg_loss: aggLossFamily,
  kl: klFamily,
  lr_schedule_optimizer: lrScheduleFamily,
  masked_ops: maskedOpsFamily,
  policy_loss_vanilla: policyLossFamily("vanilla"),
  seqlen_balancing: seqlenBalancingFamily,
  value_loss: valueLossFamily,
  worker_losses: workerLossesFamily,
};
