import type { OptimizerConfig } from "../../../core/plugin.js";
import type { UpdateRule } from "./update-rule.js";

/**
 * Stochastic gradient descent with heavy-ball or Nesterov momentum (Sutskever et al., 2013), as `torch.optim.SGD` without
 * dampening. Weight decay is added to the gradient.
 *
 *   d = g + wd · x        b = μ b + d        x = x − lr · (d + μ b with Nesterov, else b)
 */
export function sgd({ momentum = 0, nesterov = false }: Pick<OptimizerConfig, "momentum" | "nesterov">): UpdateRule {
  return {
    state: momentum === 0 ? [] : ["momentum"],
    update({ kernels }, { lr, gradScale, weightDecay }) {
      kernels.sgd({ gradScale, weightDecay, momentum, nesterov, lr });
    },
  };
}
