import { uniformAt } from "../data/random.js";
import { rolloutErrors } from "./errors.js";
import type { SamplingParams } from "./rollout.js";
import { softmaxWeights } from "./softmax.js";

/** The part of {@link SamplingParams} that decides on one token. */
export type TokenDistribution = Pick<SamplingParams, "temperature"> &
  Partial<Pick<SamplingParams, "topK" | "topP" | "minP" | "repetitionPenalty">>;

/** Names a draw. Equal keys draw equal numbers, whatever else is being served. */
export interface DrawKey {
  readonly seed: number;
  readonly requestId: string;
  /** Index of the drawn token in the whole sequence: prompt length + tokens drawn before. */
  readonly position: number;
}

export interface DrawnToken {
  readonly token: number;
  /** log p under softmax(logits / temperature), before penalty and truncation; at temperature 1 when greedy. Nats. */
  readonly logProb: number;
  /** log p under the distribution that was drawn from; 0 when greedy. Nats. */
  readonly sampledLogProb: number;
}

/**
 * Draws tokens from rows of logits. Reusable scratch memory for one vocabulary; no state between calls.
 *
 * The distribution is made in this order: repetition penalty on the logits (Keskar et al., 2019: divide positive and
 * multiply negative ones, once per token id seen), temperature, top-k, top-p over what top-k leaves, min-p. Equal
 * probabilities are ranked by the lower token id. All sums are float64, in a fixed order.
 */
export class TokenSampler {
  private readonly weights: Float64Array;
  private readonly penalised: Float64Array;
  private readonly heap: Int32Array;
  private readonly kept: Int32Array;

  constructor(readonly vocabSize: number) {
    this.weights = new Float64Array(vocabSize);
    this.penalised = new Float64Array(vocabSize);
    this.heap = new Int32Array(vocabSize);
    this.kept = new Int32Array(vocabSize);
  }

  /** @param seen ids of prompt and response so far; read only under a repetition penalty, repeats allowed. */
  draw(
    logits_V: Float32Array,
    { temperature, topK = -1, topP = 1, minP = 0, repetitionPenalty = 1 }: TokenDistribution,
    key: DrawKey,
    seen: Iterable<number> = [],
  ): DrawnToken {
    const greedy = temperature === 0;
    const scale = greedy ? 1 : temperature;
    const base = softmaxWeights(logits_V, scale, this.weights);
    if (!(base.sum >= 1)) throw badLogits(key);
    const logProbOf = (token: number): number => (logits_V[token] - base.max) / scale - Math.log(base.sum);

    let { argMax, sum } = base;
    if (repetitionPenalty !== 1) {
      this.penalise(logits_V, repetitionPenalty, seen);
      ({ argMax, sum } = softmaxWeights(this.penalised, scale, this.weights));
    }
    if (greedy) return { token: argMax, logProb: logProbOf(argMax), sampledLogProb: 0 };

    const u = uniformAt(key.seed, key.requestId, key.position);
    const truncates = (topK > 0 && topK < this.vocabSize) || topP < 1 || minP > 0;
    if (!truncates) {
      const token = this.pick(u * sum);
      const logProb = logProbOf(token);
      const sampledLogProb = repetitionPenalty === 1 ? logProb : Math.log(this.weights[token] / sum);
      return { token, logProb, sampledLogProb };
    }
    const { count, mass } = this.truncate(sum, topK > 0 ? Math.min(topK, this.vocabSize) : this.vocabSize, topP, minP);
    const token = this.pickKept(u * mass, count);
    return { token, logProb: logProbOf(token), sampledLogProb: Math.log(this.weights[token] / mass) };
  }

  private penalise(logits_V: Float32Array, penalty: number, seen: Iterable<number>): void {
    this.penalised.set(logits_V);
    for (const id of seen) {
      const logit = logits_V[id];
      if (logit !== undefined) this.penalised[id] = logit > 0 ? logit / penalty : logit * penalty;
    }
  }

  /** Inverse of the cumulative sum over token ids; rounding at the end falls back to the last id of positive weight. */
  private pick(target: number): number {
    const { weights } = this;
    let rest = target;
    let last = 0;
    for (let i = 0; i < weights.length; i++) {
      if (weights[i] === 0) continue;
      last = i;
      rest -= weights[i];
      if (rest < 0) return i;
    }
    return last;
  }

  private pickKept(target: number, count: number): number {
    let rest = target;
    for (let i = 0; i < count; i++) {
      rest -= this.weights[this.kept[i]];
      if (rest < 0) return this.kept[i];
    }
    return this.kept[count - 1];
  }

  /**
   * Moves the ids that survive into `kept`, most probable first. A heap yields ids in that order without sorting the
   * rest: O(V + m log V) for m survivors. At least one survives.
   */
  private truncate(sum: number, topK: number, topP: number, minP: number): { count: number; mass: number } {
    const { weights, heap, kept } = this;
    let size = weights.length;
    for (let i = 0; i < size; i++) heap[i] = i;
    for (let i = (size >> 1) - 1; i >= 0; i--) siftDown(heap, weights, i, size);
    const next = (): number => {
      const top = heap[0];
      heap[0] = heap[--size];
      siftDown(heap, weights, 0, size);
      return top;
    };

    let count = 0;
    let total = sum;
    if (topK < weights.length) {
      total = 0;
      for (; count < topK; count++) {
        kept[count] = next();
        total += weights[kept[count]];
      }
    }
    const available = count;
    const nucleus = topP < 1 ? topP * total : Infinity;
    let mass = 0;
    count = 0;
    while (count < topK) {
      if (count >= available) kept[count] = next();
      const weight = weights[kept[count]];
      if (count > 0 && (mass >= nucleus || weight < minP * weights[kept[0]] || weight === 0)) break;
      mass += weight;
      count++;
    }
    return { count, mass };
  }
}

function siftDown(heap: Int32Array, weights: Float64Array, start: number, size: number): void {
  const id = heap[start];
  const weight = weights[id];
  let at = start;
  for (let child = 2 * at + 1; child < size; child = 2 * at + 1) {
    const right = child + 1;
    if (right < size && ranksBefore(heap[right], weights[heap[right]], heap[child], weights[heap[child]]))
      child = right;
    if (!ranksBefore(heap[child], weights[heap[child]], id, weight)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = id;
}

function ranksBefore(id: number, weight: number, otherId: number, otherWeight: number): boolean {
  return weight > otherWeight || (weight === otherWeight && id < otherId);
}

function badLogits(key: DrawKey) {
  return rolloutErrors.VERL_ROLLOUT_BAD_LOGITS({
    what: "The next-token logits hold NaN or infinity",
    where: `request ${key.requestId}, position ${key.position}`,
  });
}
