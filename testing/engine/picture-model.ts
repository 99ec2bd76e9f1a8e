import type { ModelOutputs, SequenceBatch } from "../../core/plugin.js";
import { PICTURE_CHANNELS, PICTURE_INPUT } from "../data/fake-processor.js";
import { rowStatistics, type TableModel } from "./bigram-model.js";

/** Parameter of {@link pictureModel}: the bigram table, and below it what red, green and blue add to the logits, [V + 3, V]. */
export const PICTURE_WEIGHT = "pictures.weight";

/**
 * A language model that sees pictures: the logits of the next token are the previous token's row of a table, and the mean colour of
 * the last picture before it times three further rows.
 */
export function pictureModel(vocabSize: number): TableModel {
  return {
    name: PICTURE_WEIGHT,
    shape: [vocabSize + PICTURE_CHANNELS, vocabSize],
    outputs: ["logProb", "entropy", "sumPiSquared"],
    multiModal: true,
    forward(table, batch, outputs) {
      const results: ModelOutputs = {};
      for (const name of outputs) results[name] = new Float32Array(batch.responseMask.length);
      forEachToken(batch, ({ r, previous, token, colour }) => {
        const logits = pictureLogits(table, vocabSize, previous, colour);
        const { logPi, entropy, sumPiSquared } = rowStatistics(logits, batch.temperature);
        if (results.logProb) results.logProb[r] = logPi[token];
        if (results.entropy) results.entropy[r] = entropy;
        if (results.sumPiSquared) results.sumPiSquared[r] = sumPiSquared;
      });
      return results;
    },
    backward(table, batch, gradients, sum) {
      forEachToken(batch, ({ r, previous, token, colour }) => {
        const { logPi, entropy, sumPiSquared } = rowStatistics(
          pictureLogits(table, vocabSize, previous, colour),
          batch.temperature,
        );
        const [dLogProb, dEntropy, dSum] = (["logProb", "entropy", "sumPiSquared"] as const).map(
          (name) => gradients[name]?.[r] ?? 0,
        );
        for (let v = 0; v < vocabSize; v++) {
          const pi = Math.exp(logPi[v]);
          const dLogit =
            (dLogProb * ((v === token ? 1 : 0) - pi) -
              dEntropy * pi * (logPi[v] + entropy) +
              dSum * 2 * pi * (pi - sumPiSquared)) /
            batch.temperature;
          sum[previous * vocabSize + v] += dLogit;
          colour?.forEach((share, c) => {
            sum[(vocabSize + c) * vocabSize + v] += share * dLogit;
          });
        }
      });
    },
  };
}

/** Logits of the next token, [V]; `colour` is null before the first picture. */
export function pictureLogits(
  table: Float32Array,
  vocabSize: number,
  previous: number,
  colour: Float32Array | null,
): Float32Array {
  const logits = table.slice(previous * vocabSize, (previous + 1) * vocabSize);
  colour?.forEach((share, c) => {
    for (let v = 0; v < vocabSize; v++) logits[v] += share * table[(vocabSize + c) * vocabSize + v];
  });
  return logits;
}

interface ResponseToken {
  readonly r: number;
  readonly previous: number;
  readonly token: number;
  /** Of the last picture that ends before the token. */
  readonly colour: Float32Array | null;
}

function forEachToken(batch: SequenceBatch, visit: (token: ResponseToken) => void): void {
  for (let b = 0; b < batch.size; b++) {
    const media = batch.media?.[b] ?? [];
    const start = batch.offsets[b];
    let at = start + batch.promptLengths[b];
    for (let r = batch.responseOffsets[b]; r < batch.responseOffsets[b + 1]; r++, at++) {
      const last = media.findLast(({ offset, length }) => offset + length <= at - start);
      const colour = (last?.inputs[PICTURE_INPUT].data as Float32Array | undefined) ?? null;
      visit({ r, previous: batch.inputIds[at - 1], token: batch.inputIds[at], colour });
    }
  }
}
