/**
 * The actor's whole loss: policy − entropy_coeff·agg(H) + kl_loss_coef·agg(KL(logProb, ref)).
 *
 * Entropy and KL use the configured aggregation also where a policy loss overrides its own. Loss-like metrics are this
 * micro-batch's shares under global counts: they are **summed** over micro-batches.
 */
import type { LossAggMode } from "../advantage.js";
import { aggLoss } from "../agg-loss.js";
import type {
  AnyLoss,
  LossAlgebra,
  LossFunction,
  LossMetric,
  LossTerms,
  MetricReduction,
  OutputName,
  Value,
} from "../algebra.js";
import { klPenalty, parseKlPenalty } from "../kl.js";
import { differentiate } from "../tape.js";

export interface ActorLossOptions {
  readonly policyLoss: AnyLoss;
  readonly lossAggMode: LossAggMode;
  /** 0 leaves the term out. */
  readonly entropyCoeff: number;
  /** Report entropy even with a coefficient of 0. */
  readonly calculateEntropy?: boolean;
  /** Null: no KL loss. Needs the column `refLogProb`. */
  readonly kl: { readonly coef: number; readonly type: string } | null;
  /** How loss-like metrics combine; default "sum". "mean" only where the counts are those of one micro-batch. */
  readonly lossReduction?: MetricReduction;
}

export function actorLoss(options: ActorLossOptions): AnyLoss {
  const { policyLoss, entropyCoeff, kl } = options;
  if (kl) parseKlPenalty(kl.type);
  const reduction = options.lossReduction ?? "sum";
  const withEntropy = entropyCoeff !== 0 || options.calculateEntropy === true;

  /** Adds the terms beside the policy loss, with their metrics. */
  const withTerms = (g: LossAlgebra, policy: Value): LossTerms => {
    let loss = policy;
    const metrics: Record<string, LossMetric> = {};
    if (withEntropy) {
      const entropy = aggLoss(g, g.output("entropy"), options.lossAggMode);
      metrics["actor/entropy_loss"] = { value: entropy, reduction };
      loss = g.sub(loss, g.mul(g.constant(entropyCoeff), entropy));
    }
    if (kl) {
      const estimate_R = klPenalty(g, kl.type, g.output("logProb"), g.column("refLogProb"));
      const share = aggLoss(g, estimate_R, options.lossAggMode);
      metrics.kl_loss = { value: share, reduction };
      metrics.kl_coef = { value: g.constant(kl.coef), reduction: "mean" };
      loss = g.add(loss, g.mul(g.constant(kl.coef), share));
    }
    return { loss, metrics };
  };

  const outputs = [
    ...new Set<OutputName>([
      ...policyLoss.outputs,
      ...(withEntropy ? ["entropy" as const] : []),
      ...(kl ? ["logProb" as const] : []),
    ]),
  ];
  if (policyLoss.kind === "opaque") {
    return {
      kind: "opaque",
      name: `actor(${policyLoss.name})`,
      scope: policyLoss.scope,
      outputs,
      compute(input) {
        const policy = policyLoss.compute(input);
        const rest = differentiate({ scope: "token", build: (g) => withTerms(g, g.constant(0)) }, input);
        const gradients: Partial<Record<OutputName, Float32Array>> = { ...policy.gradients };
        for (const name of outputs) {
          const [own_R, extra_R] = [policy.gradients[name], rest.gradients[name]];
          if (extra_R) gradients[name] = Float32Array.from(extra_R, (x, r) => x + (own_R ? own_R[r] : 0));
        }
        const weight = Object.values(policy.metrics)[0]?.weight ?? 1;
        return {
          loss: policy.loss + rest.loss,
          metrics: { ...policy.metrics, "actor/pg_loss": { value: policy.loss, reduction, weight }, ...rest.metrics },
          gradients,
        };
      },
    };
  }
  const { build, ...shape } = policyLoss;
  return {
    ...shape,
    name: `actor(${policyLoss.name})`,
    outputs,
    columns: [...new Set([...policyLoss.columns, ...(kl ? ["refLogProb"] : [])])],
    key: `actor:${JSON.stringify({ ...options, policyLoss: policyLoss.key })}`,
    build(g) {
      const policy = build(g);
      const { loss, metrics } = withTerms(g, policy.loss);
      return { loss, metrics: { ...policy.metrics, "actor/pg_loss": { value: policy.loss, reduction }, ...metrics } };
    },
  } satisfies LossFunction;
}
