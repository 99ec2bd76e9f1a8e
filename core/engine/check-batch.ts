import type { AnyLoss, OutputName } from "../algorithms/algebra.js";
import type { SequenceBatch } from "../data/batch/sequence-batch.js";
import type { EngineCapabilities, EngineModelInfo } from "./engine.js";
import { engineErrors } from "./errors.js";

/** Refuse a batch that the model cannot take, before any engine sees it. */
export function checkBatch(batch: SequenceBatch, model: EngineModelInfo): void {
  if (!(batch.temperature > 0))
    throw bad(`the temperature is ${batch.temperature}`, "log-probabilities need one above 0");
  if (batch.responseMask.length !== batch.responseOffsets[batch.size]) {
    throw bad(
      `the mask has ${batch.responseMask.length} entries for ${batch.responseOffsets[batch.size]} response tokens`,
    );
  }
  for (let b = 0; b < batch.size; b++) {
    const length = batch.offsets[b + 1] - batch.offsets[b];
    const response = batch.responseOffsets[b + 1] - batch.responseOffsets[b];
    if (batch.promptLengths[b] < 1)
      throw bad(`sequence ${b} has no prompt`, "the first response token needs a predecessor");
    if (batch.promptLengths[b] + response !== length) throw bad(`the lengths of sequence ${b} do not add up`);
    if (length > model.maxPositions) {
      throw engineErrors.VERL_ENGINE_SEQUENCE_TOO_LONG({
        what: `sequence ${b} has ${length} tokens, the model ${model.maxPositions} positions`,
      });
    }
  }
  const { inputIds } = batch;
  for (let i = 0; i < inputIds.length; i++) {
    if (inputIds[i] < 0 || inputIds[i] >= model.vocabSize) {
      throw bad(`token id ${inputIds[i]} is outside the vocabulary of ${model.vocabSize}`);
    }
  }
  for (const [name, { extent, data }] of batch.columns) {
    const expected = extent === "token" ? batch.responseMask.length : batch.size;
    if (data.length !== expected)
      throw bad(`column "${name}" has ${data.length} values, one per ${extent} is ${expected}`);
  }
}

/** An engine that ignored media would compute something else than was sampled. */
export function checkMedia({ media = [] }: SequenceBatch, { multiModal }: EngineCapabilities): void {
  const b = media.findIndex((own) => own.length > 0);
  if (b < 0 || multiModal) return;
  throw engineErrors.VERL_ENGINE_NO_MEDIA({
    what: `sequence ${b} holds ${media[b][0].kind}s, and the engine understands text alone`,
  });
}

export function checkOutputs(outputs: readonly OutputName[], capabilities: EngineCapabilities, by: string): void {
  const missing = outputs.filter((name) => !capabilities.outputs.includes(name));
  if (missing.length === 0) return;
  throw engineErrors.VERL_ENGINE_OUTPUT_UNSUPPORTED({
    what: `${by} needs ${missing.join(", ")}`,
    why: `this engine computes ${capabilities.outputs.join(", ")}`,
  });
}

export function checkColumns(loss: AnyLoss, batch: SequenceBatch): void {
  if (loss.kind !== "algebra") return;
  const missing = loss.columns.filter((name) => !batch.columns.has(name));
  if (missing.length > 0) {
    const present = [...batch.columns.keys()];
    throw bad(
      `the loss "${loss.name}" reads the columns ${missing.join(", ")}, which the batch does not carry`,
      `it carries ${present.length > 0 ? present.join(", ") : "none"}`,
    );
  }
}

function bad(what: string, why?: string) {
  return engineErrors.VERL_ENGINE_BAD_BATCH({ what, why });
}
