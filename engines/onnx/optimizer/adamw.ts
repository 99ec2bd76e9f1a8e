import type { UpdateRule } from "./update-rule.js";

/** AdamW with decoupled weight decay (Loshchilov & Hutter, 1711.05101). */
export const adamw: UpdateRule = {
  state: ["m", "v"],
  update({ kernels }, { steps, lr, gradScale, weightDecay, optimizer }) {
    const [beta1, beta2] = optimizer.betas;
    kernels.adamw({
      gradScale,
      beta1,
      beta2,
      decay: 1 - lr * weightDecay,
      stepSize: lr / (1 - beta1 ** steps),
      rootCorrection: 1 / Math.sqrt(1 - beta2 ** steps),
      eps: optimizer.eps,
    });
  },
};
