import type { ParameterSpec } from "../../../core/formats/index.js";
import type { OptimizerConfig, ParameterKind } from "../../../core/plugin.js";
import type { UpdateRule } from "./update-rule.js";

/** Parameters that share a rule, a factor of the rate, and whether they decay. */
export interface ParameterGroup {
  readonly rule: UpdateRule;
  readonly lrScale: number;
  readonly decays: boolean;
  /** Names of all arrays kept per element: the rule's, then that of the moving average. */
  readonly state: readonly string[];
}

/** Name of the array that holds the moving average of the weights. */
export const AVERAGE = "ema";

const KINDS: Readonly<Record<ParameterSpec["role"], ParameterKind>> = {
  embedding: "embedding",
  positions: "embedding",
  norm: "norm",
  bias: "bias",
  headBias: "bias",
  linear: "matrix",
  residual: "matrix",
  head: "head",
};

/** Assigns parameters to groups, as few as the configuration allows. */
export function parameterGroups(
  config: OptimizerConfig,
  ruleOf: (kind: ParameterKind) => UpdateRule,
): (spec: Pick<ParameterSpec, "role">) => ParameterGroup {
  const { noDecay = [], lrScale = {}, emaDecay = null } = config;
  const groups: ParameterGroup[] = [];
  return ({ role }) => {
    const kind = KINDS[role];
    const rule = ruleOf(kind);
    const wanted = { rule, lrScale: lrScale[kind] ?? 1, decays: !noDecay.includes(kind) };
    const known = groups.find(
      (group) => group.rule === rule && group.lrScale === wanted.lrScale && group.decays === wanted.decays,
    );
    if (known) return known;
    const group = { ...wanted, state: emaDecay === null ? rule.state : [...rule.state, AVERAGE] };
    groups.push(group);
    return group;
  };
}
