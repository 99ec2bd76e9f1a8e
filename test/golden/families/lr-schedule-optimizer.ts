import { adamwStep, createAdamWState } from "../../../core/algorithms/adamw.js";
import { clipScale, gradNorm, squareSum } from "../../../core/algorithms/clip-grad-norm.js";
import { type LrSchedule, lrMultiplier } from "../../../core/algorithms/lr-schedule.js";
import { type Family, type GoldenCase, rowsOf, type Tensor } from "../case.js";

/** As many multipliers as the case lists; `zero_indexed_step: false` starts counting at 1. */
function multipliers(c: GoldenCase, type: LrSchedule["type"]) {
  const warmup = c.param("num_warmup_steps", 0);
  const total = c.param("num_training_steps", 0);
  const schedule: LrSchedule = {
    type,
    warmupSteps: warmup,
    totalSteps: total,
    minLrRatio: c.param("min_lr_ratio", 0),
    numCycles: c.param("num_cycles", 0.5),
    stableSteps: Math.floor((total - warmup) * c.param("stable_ratio", 0.9)),
    initLrRatio: c.param("init_lr_ratio", 0),
  };
  const shift = c.param("zero_indexed_step", true) ? 0 : 1;
  const count = (c.outputs.multipliers as number[] | undefined)?.length ?? 5;
  return { outputs: { multipliers: Array.from({ length: count }, (_, step) => lrMultiplier(schedule, step + shift)) } };
}

export const lrScheduleFamily: Family = {
  constant_with_warmup: (c) => multipliers(c, "constant"),
  cosine_with_warmup: (c) => multipliers(c, "cosine"),
  wsd_with_warmup: (c) => multipliers(c, "wsd"),

  adamw(c) {
    const param = Float64Array.from(c.data("param0"));
    const state = createAdamWState(param.length);
    const options = {
      lr: c.param<number>("lr"),
      betas: c.param<[number, number]>("betas"),
      eps: c.param<number>("eps"),
      weightDecay: c.param<number>("weight_decay"),
    };
    const params = rowsOf(c.tensor("grads")).map((grad) => {
      adamwStep(param, grad, state, options);
      return Array.from(param);
    });
    return { outputs: { params: params.flat() } };
  },

  clip_grad_norm(c) {
    const grads = c.input<Tensor[]>("grads").map((t) => t.data);
    const norm = gradNorm(grads);
    const scale = clipScale(norm, c.param("max_norm"));
    return { outputs: { total_norm: norm, clipped: grads.map((g) => g.map((x) => x * scale)) } };
  },

  grad_square_sum(c) {
    const grads = c.input<(Tensor | null)[]>("grads");
    return { outputs: { value: grads.reduce((sum, t) => sum + squareSum(t?.data ?? null), 0) } };
  },
};
