import { selectSequences } from "../../data/batch/sequence-batch.js";
import type { BaseEngine, TrainBatchResult } from "../../engine/engine.js";
import { trainerErrors } from "../errors.js";
import type { PipelineParts } from "../run-parts.js";
import { inferBatch } from "./infer.js";
import type { TrainBatch } from "./train-batch.js";

type Model = "actor" | "critic";

/**
 * Updates whose loss or gradient is no number. The engine skips each of them and leaves the weights as they are; many in a row,
 * or nothing else in the whole run, mean that there is nothing left to train.
 */
export class LostUpdates {
  readonly #counts = new Map<Model, { done: number; lost: number; inARow: number }>();

  /** @param limit `trainer.max_skipped_updates`; null: as many as there are */
  constructor(private readonly limit: number | null) {}

  /** @throws VERL_TRAINER_DIVERGED */
  count(model: Model, step: number, result: Pick<TrainBatchResult, "loss" | "gradNorm" | "skipped">): void {
    const counts = this.#counts.get(model) ?? { done: 0, lost: 0, inARow: 0 };
    this.#counts.set(model, counts);
    const isLost = result.skipped || !Number.isFinite(result.loss);
    counts.done++;
    counts.lost += isLost ? 1 : 0;
    counts.inARow = isLost ? counts.inARow + 1 : 0;
    if (this.limit === null || counts.inARow <= this.limit) return;
    throw diverged(model, step, {
      what: `${counts.inARow} updates of the ${model} in a row were skipped: the last one's loss is ${result.loss} and its gradient norm ${result.gradNorm}`,
      why: `trainer.max_skipped_updates is ${this.limit}`,
    });
  }

  /**
   * A run that ends in skipped updates, half of all that it made or more, must not pass for one that has trained.
   * @throws VERL_TRAINER_DIVERGED
   */
  report(step: number): void {
    if (this.limit === null) return;
    for (const [model, { done, inARow }] of this.#counts) {
      if (2 * inARow < done) continue;
      throw diverged(model, step, {
        what:
          inARow === done
            ? `all ${done} updates of the ${model} were skipped`
            : `the last ${inARow} of ${done} updates of the ${model} were skipped`,
        why: "the loss or the gradient of each was no number",
      });
    }
  }
}

interface Outputs {
  readonly model: Model | "reference";
  /** What they are, in the plural. */
  readonly output: string;
  readonly step: number;
}

/** No policy gives log-probabilities, and no network has weights, of this size; a destroyed one may before they overflow. */
const LARGEST = 1e6;

/**
 * Refuses outputs of a forward pass most of which are no usable numbers: no later step of the run could be any better, for updates
 * from them are skipped. @throws VERL_TRAINER_DIVERGED
 */
export function requireNumbers(
  values: ArrayLike<number>,
  mask: ArrayLike<number>,
  { model, output, step }: Outputs,
): void {
  const largest = output === "values" ? Number.MAX_VALUE : LARGEST;
  let [all, broken] = [0, 0];
  for (let r = 0; r < values.length; r++) {
    if (mask[r] === 0) continue;
    all++;
    if (!(Math.abs(values[r]) <= largest)) broken++;
  }
  if (2 * broken <= all) return;
  throw diverged(model, step, {
    what: `${broken} of ${all} ${output} that the ${model} gives are ${unusable(largest)}`,
  });
}

/** Sequences of the step that are looked at again after its updates: of all lengths, the longest among them. */
const LOOKED_AT = 4;

/**
 * Looks at the models that a step has left, at their weights and at what they give for a few of its sequences: one that was destroyed must
 * not take the place of a good checkpoint. @throws VERL_TRAINER_DIVERGED
 */
export async function requireSoundModels(
  { actor, critic, config }: Pick<PipelineParts, "actor" | "critic" | "config">,
  batch: TrainBatch,
  { globalStep: step, signal }: { readonly globalStep: number; readonly signal: AbortSignal },
): Promise<void> {
  const few = { ...batch, sequences: selectSequences(batch.sequences, chosenRows(batch)) };
  const { size, responseMask, responseOffsets } = few.sequences;
  const look = async <N extends "logProb" | "values">(
    engine: BaseEngine,
    outputs: Outputs & { model: Model },
    name: N,
  ) => {
    await requireSoundWeights(engine, outputs, signal);
    if (size === 0) return;
    const values = (await inferBatch(engine, few, [name], config.actor_rollout_ref.rollout, signal))[name];
    for (let b = 0; b < size; b++) {
      const [start, end] = [responseOffsets[b], responseOffsets[b + 1]];
      requireNumbers(values.subarray(start, end), responseMask.subarray(start, end), outputs);
    }
  };
  await look(actor, { model: "actor", output: "log-probabilities", step }, "logProb");
  if (critic) await look(critic, { model: "critic", output: "values", step }, "values");
}

function chosenRows({ rows, sequences: { offsets, responseMask, responseOffsets } }: TrainBatch): number[] {
  const length = (b: number) => offsets[b + 1] - offsets[b];
  const isTrained = (b: number) =>
    responseMask.subarray(responseOffsets[b], responseOffsets[b + 1]).some((m) => m !== 0);
  const byLength = [...rows.keys()].filter(isTrained).sort((a, b) => length(b) - length(a));
  const stride = Math.max(1, byLength.length / LOOKED_AT);
  return Array.from({ length: Math.min(LOOKED_AT, byLength.length) }, (_, i) => byLength[Math.floor(i * stride)]);
}

async function requireSoundWeights(engine: BaseEngine, { model, step }: Outputs, signal: AbortSignal): Promise<void> {
  for await (const { name, dtype, data } of engine.getPerTensorParam({ signal })) {
    // Bits of other types are judged by what the model gives.
    if (dtype !== "f32" && dtype !== "f64") continue;
    const values = data as Float32Array | Float64Array;
    let broken = -1;
    for (let i = 0; broken < 0 && i < values.length; i++) if (!(Math.abs(values[i]) <= LARGEST)) broken = i;
    if (broken < 0) continue;
    throw diverged(model, step, {
      what: `a weight of the ${model} is ${values[broken]}: number ${broken} of ${name}`,
      why: `weights do not become ${unusable(LARGEST)} in a training that goes well`,
    });
  }
}

const unusable = (largest: number) =>
  largest === Number.MAX_VALUE ? "NaN or infinite" : `NaN, infinite or beyond ±${largest.toExponential(0)}`;

function diverged(model: Model | "reference", step: number, { what, why }: { what: string; why?: string }): Error {
  const where = `step ${step}`;
  if (model === "reference") {
    const fix = "it is not trained: look at the model's files with `verl doctor --model FOLDER`";
    return trainerErrors.VERL_TRAINER_DIVERGED({ what, where, why, fix });
  }
  return trainerErrors.VERL_TRAINER_DIVERGED({ what, where, why, data: { model, step } });
}
