import type { OptimizerConfig, ParameterKind } from "../../../core/plugin.js";
import { errors } from "../errors.js";
import type { OrtRuntime } from "../runtime/index.js";
import { adamw } from "./adamw.js";
import { type CompileGraph, Muon } from "./muon.js";
import { sgd } from "./sgd.js";
import type { UpdateRule } from "./update-rule.js";

export interface RuleContext {
  readonly runtime: OrtRuntime;
  readonly compile: CompileGraph;
}

/** Optimizers by name: which rule updates which kind of parameter. */
const OPTIMIZERS: Readonly<
  Record<string, (config: OptimizerConfig, context: RuleContext) => (kind: ParameterKind) => UpdateRule>
> = {
  adamw: () => () => adamw,
  sgd(config) {
    const rule = sgd(config);
    return () => rule;
  },
  /** Embeddings, heads, norms and biases by AdamW, as its authors do. */
  muon(_config, { runtime, compile }) {
    const muon = new Muon(runtime, compile);
    return (kind) => (kind === "matrix" ? muon : adamw);
  },
};

export function optimizerRules(config: OptimizerConfig, context: RuleContext): (kind: ParameterKind) => UpdateRule {
  return OPTIMIZERS[config.name](config, context);
}

/** Refuses an optimizer that the engine does not have, before anything is loaded. */
export function checkOptimizer({ name, momentum = 0, nesterov = false }: OptimizerConfig): void {
  if (!Object.hasOwn(OPTIMIZERS, name)) {
    throw errors.VERL_ONNX_BAD_OPTION({
      what: `the ONNX engine has no optimizer "${name}"`,
      fix: `Use one of ${Object.keys(OPTIMIZERS).join(", ")}.`,
    });
  }
  if (name === "sgd" && nesterov && momentum === 0) {
    throw errors.VERL_ONNX_BAD_OPTION({
      what: "sgd with Nesterov momentum has a momentum of 0",
      fix: "Set the momentum above 0, e.g. 0.9, or Nesterov momentum off.",
    });
  }
}
