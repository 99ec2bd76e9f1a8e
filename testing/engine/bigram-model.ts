import type { ModelOutputs, OutputName, SequenceBatch } from "../../core/plugin.js";

/** A model of one parameter tensor that is small enough to differentiate by hand. All arithmetic is float64. */
export interface TableModel {
  readonly name: string;
  readonly shape: readonly number[];
  readonly outputs: readonly OutputName[];
  /** Whether it sees media; default false. */
  readonly multiModal?: boolean;
  forward(parameter: Float32Array, batch: SequenceBatch, outputs: readonly OutputName[]): ModelOutputs;
  /** Adds ∂loss/∂parameter, given ∂loss/∂outputs. */
  backward(parameter: Float32Array, batch: SequenceBatch, gradients: ModelOutputs, sum: Float64Array): void;
}

/** A language model: the logits of the next token are the previous token's row of a table, [V, V]. */
export function bigramModel(vocabSize: number): TableModel {
  const rowOf = (table_VV: Float32Array, previous: number, temperature: number) =>
    rowStatistics(table_VV.subarray(previous * vocabSize, (previous + 1) * vocabSize), temperature);
  return {
    name: "bigram.weight",
    shape: [vocabSize, vocabSize],
    outputs: ["logProb", "entropy", "sumPiSquared"],
    forward(table_VV, batch, outputs) {
      const results: ModelOutputs = {};
      for (const name of outputs) results[name] = new Float32Array(batch.responseMask.length);
      forEachResponseToken(batch, (r, previous, token) => {
        const { logPi, entropy, sumPiSquared } = rowOf(table_VV, previous, batch.temperature);
        if (results.logProb) results.logProb[r] = logPi[token];
        if (results.entropy) results.entropy[r] = entropy;
        if (results.sumPiSquared) results.sumPiSquared[r] = sumPiSquared;
      });
      return results;
    },
    backward(table_VV, batch, gradients, sum_VV) {
      forEachResponseToken(batch, (r, previous, token) => {
        const { logPi, entropy, sumPiSquared } = rowOf(table_VV, previous, batch.temperature);
        const dLogProb = gradients.logProb?.[r] ?? 0;
        const dEntropy = gradients.entropy?.[r] ?? 0;
        const dSum = gradients.sumPiSquared?.[r] ?? 0;
        for (let v = 0; v < vocabSize; v++) {
          const pi = Math.exp(logPi[v]);
          const dLogit =
            dLogProb * ((v === token ? 1 : 0) - pi) -
            dEntropy * pi * (logPi[v] + entropy) +
            dSum * 2 * pi * (pi - sumPiSquared);
          sum_VV[previous * vocabSize + v] += dLogit / batch.temperature;
        }
      });
    },
  };
}

/** A critic: the value before a token depends on the previous token alone, [V]. */
export function valueTableModel(vocabSize: number): TableModel {
  return {
    name: "value.weight",
    shape: [vocabSize],
    outputs: ["values"],
    forward(values_V, batch) {
      const values = new Float32Array(batch.responseMask.length);
      forEachResponseToken(batch, (r, previous) => {
        values[r] = values_V[previous];
      });
      return { values };
    },
    backward(_values, batch, gradients, sum_V) {
      forEachResponseToken(batch, (r, previous) => {
        sum_V[previous] += gradients.values?.[r] ?? 0;
      });
    },
  };
}

/** Of a softmax over a row of logits at a temperature. */
export function rowStatistics(row: ArrayLike<number>, temperature: number) {
  const logits = Float64Array.from(row, (z: number) => z / temperature);
  const max = logits.reduce((a, b) => Math.max(a, b));
  const logSum = max + Math.log(logits.reduce((sum, z) => sum + Math.exp(z - max), 0));
  const logPi = logits.map((z) => z - logSum);
  let [entropy, sumPiSquared] = [0, 0];
  for (const l of logPi) {
    entropy -= Math.exp(l) * l;
    sumPiSquared += Math.exp(2 * l);
  }
  return { logPi, entropy, sumPiSquared };
}

function forEachResponseToken(batch: SequenceBatch, visit: (r: number, previous: number, token: number) => void): void {
  for (let b = 0; b < batch.size; b++) {
    let at = batch.offsets[b] + batch.promptLengths[b];
    for (let r = batch.responseOffsets[b]; r < batch.responseOffsets[b + 1]; r++, at++) {
      visit(r, batch.inputIds[at - 1], batch.inputIds[at]);
    }
  }
}
