import { drawRows, pfPpoWeights } from "../../algorithms/index.js";
import { RandomStream } from "../../data/random.js";
import type { StepMetrics } from "../run-context.js";
import type { RunParts } from "../run-parts.js";
import type { TrainBatch } from "./train-batch.js";

/**
 * PF-PPO (2409.06957), where `algorithm.use_pf_ppo` asks for it: as many trajectories as there are, drawn with replacement
 * by weights of their scores, are trained on. Statistics and dumps are of what was sampled.
 */
export function filterPolicy(
  { config, estimator }: Pick<RunParts, "config" | "estimator">,
  batch: TrainBatch,
  { globalStep, metrics }: { readonly globalStep: number; readonly metrics: StepMetrics },
): void {
  const { use_pf_ppo: used, pf_ppo } = config.algorithm;
  if (!used || estimator.name !== "gae") return;
  const rows = batch.rows.flatMap(({ score }, b) => (batch.eligible[b] && score !== null ? [{ b, score }] : []));
  const scores = rows.map(({ score }) => score);
  const weights = pfPpoWeights(scores, pf_ppo.reweight_method, pf_ppo.weight_pow);
  const random = new RandomStream(config.trainer.seed, `pf-ppo/${globalStep}`);
  batch.drawn = drawRows(weights, random).map((i) => rows[i].b);
  metrics.set({ "training/pf_ppo/distinct_samples": new Set(batch.drawn).size });
}
