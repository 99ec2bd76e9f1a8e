/** Public entry of the algorithms room: the loss algebra, losses, advantages, schedules and balancing. */
export { type AdamWOptions, type AdamWState, adamwStep, createAdamWState } from "./adamw.js";
export type * from "./advantage.js";
export type * from "./algebra.js";
export { clipScale, gradNorm, squareSum } from "./clip-grad-norm.js";
export { countsOf } from "./counts.js";
export { balancedPartitions, greedyPartition, type PartitionOptions } from "./karmarkar-karp.js";
export { type LrSchedule, lrMultiplier } from "./lr-schedule.js";
export { inverseOrder, type MicroBatchOptions, planMicroBatches, restoreOrder } from "./micro-batches.js";
export { balanceRanks, balanceRanksByGroup, sequenceWorkload, unbalanceReport } from "./seqlen-balancing.js";
export { differentiate, evaluateLoss, type TapeResult } from "./tape.js";
