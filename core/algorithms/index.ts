/** Public entry of the algorithms room: the loss algebra, losses, advantages, schedules and balancing. */
export { type AdamWOptions, type AdamWState, adamwStep, createAdamWState } from "./adamw.js";
export type * from "./advantage.js";
export type * from "./algebra.js";
export { clipScale, gradNorm, squareSum } from "./clip-grad-norm.js";
export { type LrSchedule, lrMultiplier } from "./lr-schedule.js";
export { differentiate, evaluateLoss, type TapeResult } from "./tape.js";
