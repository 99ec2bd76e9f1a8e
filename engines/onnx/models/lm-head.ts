import type { OutputName } from "../../../core/plugin.js";
import type { Graph, Ref } from "../ir/index.js";
import type { HEAD_OUTPUTS, Head, HeadGradients } from "./head.js";

/** What the head computes per row: log π(target), entropy, Σ π². */
type HeadOutput = (typeof HEAD_OUTPUTS.languageModel)[number];

/** The rows to score, with all factors of the logits in them: that of the model and 1 / temperature. */
export interface HeadRows {
  /** [R, hidden] */
  readonly hidden: Ref;
  /** [vocab, hidden] */
  readonly weight: Ref;
  readonly vocabSize: number;
  /** The weight's name, and the sum to which its gradient is added; null: the weight is not trained. */
  readonly weightName: string;
  readonly weightSum: (() => Ref) | null;
  /** Token to score in each row, int32 [R]. */
  readonly targets: Ref;
  readonly width: number;
  /**
   * c / temperature, where logits z are capped: they are c · tanh(z / c) / temperature, and the rows have the factor 1 / c
   * in place of 1 / temperature.
   */
  readonly cap: Ref | null;
  /**
   * Rows are worked on in so many equal chunks, one after the other; R must be a multiple. Only one chunk's [rows, vocab]
   * arrays are alive, at the price of computing logits again in the backward pass; or, if they are kept, one such array of
   * all rows with the others of one chunk.
   */
  readonly chunks: number;
  readonly keepsLogits: boolean;
}

interface RowStatistics {
  /** [rows, 1] */
  readonly entropy: Ref | null;
  readonly sumPiSquared: Ref | null;
}

interface LogSoftmax {
  readonly logSoftmax: Ref;
  /** tanh(z / c), where logits are capped. */
  readonly tanh: Ref | null;
}

/** Next-token log-probabilities and what else a loss reads of the distribution. */
export class LanguageModelHead implements Head {
  /** What the backward pass takes over from the forward pass, by chunk; nothing where logits are computed again. */
  private readonly kept: (LogSoftmax & RowStatistics)[] = [];

  constructor(
    private readonly g: Graph,
    readonly rows: HeadRows,
  ) {}

  forward(outputs: readonly OutputName[]): Map<OutputName, Ref> {
    const { g, rows } = this;
    const wanted = outputs as readonly HeadOutput[];
    const parts = new Map<OutputName, Ref[]>(wanted.map((name) => [name, []]));
    let previous: Ref[] = [];
    for (const chunk of splitRows(g, rows)) {
      const softmax = logSoftmaxOf(g, rows, after(g, chunk.hidden, previous, rows.width));
      const { logSoftmax } = softmax;
      const statistics = rowStatistics(g, logSoftmax, wanted);
      if (rows.keepsLogits) this.kept.push({ ...softmax, ...statistics });
      const results: Record<HeadOutput, Ref | null> = {
        logProb: wanted.includes("logProb") ? g.op("GatherElements", [logSoftmax, chunk.targets], { axis: 1 }) : null,
        ...statistics,
      };
      previous = wanted.map((name) => results[name] as Ref);
      for (const name of wanted) parts.get(name)?.push(results[name] as Ref);
    }
    const flat = (list: Ref[]) =>
      g.op("Reshape", [list.length === 1 ? list[0] : g.op("Concat", list, { axis: 0 }), g.ints(-1)]);
    return new Map([...parts].map(([name, list]) => [name, flat(list)]));
  }

  /**
   * Row gradients are [R] each:
   *
   *   ∂logπ(y)/∂z = 1_y − π      ∂H/∂z = −π (logπ + H)      ∂Σπ²/∂z = 2π (π − Σπ²)
   */
  backward(gradients: ReadonlyMap<OutputName, Ref>): HeadGradients {
    const { g, rows, kept } = this;
    const columns = new Map([...gradients].map(([name, ref]) => [name, g.op("Unsqueeze", [ref, g.ints(1)])]));
    const gradientParts = new Map([...columns].map(([name, ref]) => [name, split(g, ref, rows.chunks)]));
    const hiddenParts: Ref[] = [];
    let weight = rows.weightSum?.() ?? null;
    let previous = [...columns.values()];
    splitRows(g, rows).forEach((chunk, i) => {
      const hidden = after(g, chunk.hidden, previous, rows.width);
      const again = () => {
        const softmax = logSoftmaxOf(g, rows, hidden);
        return { ...softmax, ...rowStatistics(g, softmax.logSoftmax, [...gradients.keys()]) };
      };
      const known = kept[i] ?? again();
      const inTurn = i > 0 && i < kept.length;
      const logSoftmax = inTurn ? after(g, known.logSoftmax, previous, rows.vocabSize) : known.logSoftmax;
      const part = new Map([...gradientParts].map(([name, list]) => [name, list[i]]));
      const dLogits = logitsGradient(g, logSoftmax, known, part, chunk.targets);
      const dProduct = known.tanh && rows.cap ? uncapped(g, dLogits, known.tanh, rows.cap) : dLogits;
      hiddenParts.push(g.op("Gemm", [dProduct, rows.weight]));
      if (weight) weight = g.op("Gemm", [dProduct, hidden, weight], { transA: 1 });
      previous = weight ? [hiddenParts[i], weight] : [hiddenParts[i]];
    });
    const hidden = hiddenParts.length === 1 ? hiddenParts[0] : g.op("Concat", hiddenParts, { axis: 0 });
    return { seeds: new Map([[rows.hidden, hidden]]), parameters: new Map(weight ? [[rows.weightName, weight]] : []) };
  }
}

function logSoftmaxOf(g: Graph, { weight, cap }: HeadRows, hidden: Ref): LogSoftmax {
  const product = g.op("Gemm", [hidden, weight], { transB: 1 });
  const tanh = cap ? g.op("Tanh", [product]) : null;
  const logits = tanh && cap ? g.op("Mul", [tanh, cap]) : product;
  return { logSoftmax: g.op("LogSoftmax", [logits], { axis: -1 }), tanh };
}

/** The gradient of z / c from that of the logits. */
function uncapped(g: Graph, dLogits: Ref, tanh: Ref, cap: Ref): Ref {
  const slope = g.op("Sub", [g.scalar(1), g.op("Mul", [tanh, tanh])]);
  return g.op("Mul", [dLogits, g.op("Mul", [slope, cap])]);
}

function rowStatistics(g: Graph, logSoftmax: Ref, wanted: readonly OutputName[]): RowStatistics {
  const needsEntropy = wanted.includes("entropy");
  const needsSquares = wanted.includes("sumPiSquared");
  const pi = needsEntropy || needsSquares ? g.op("Exp", [logSoftmax]) : null;
  const rowSum = (x: Ref) => g.op("ReduceSum", [x, g.ints(1)], { keepdims: 1 });
  return {
    entropy: pi && needsEntropy ? g.op("Neg", [rowSum(g.op("Mul", [pi, logSoftmax]))]) : null,
    sumPiSquared: pi && needsSquares ? rowSum(g.op("Mul", [pi, pi])) : null,
  };
}

/** π ⊙ −[dLogProb + dEntropy (logπ + H) − 2 dSum (π − Σπ²)], plus dLogProb at the target. */
function logitsGradient(
  g: Graph,
  logSoftmax: Ref,
  { entropy, sumPiSquared }: RowStatistics,
  gradients: ReadonlyMap<OutputName, Ref>,
  targets: Ref,
): Ref {
  const pi = g.op("Exp", [logSoftmax]);
  const [dLogProb, dEntropy, dSum] = [
    gradients.get("logProb"),
    gradients.get("entropy"),
    gradients.get("sumPiSquared"),
  ];
  const terms: Ref[] = [];
  if (dLogProb) terms.push(dLogProb);
  if (dEntropy && entropy) terms.push(g.op("Mul", [g.op("Add", [logSoftmax, entropy]), dEntropy]));
  if (dSum && sumPiSquared) {
    terms.push(g.op("Mul", [g.op("Sub", [sumPiSquared, pi]), g.op("Mul", [dSum, g.scalar(2)])]));
  }
  const factor = terms.reduce((a, b) => g.op("Add", [a, b]));
  const dense = g.op("Mul", [pi, g.op("Neg", [factor])]);
  if (!dLogProb) return dense;
  // One index per row: no duplicates, so nothing races.
  return g.op("ScatterElements", [dense, targets, dLogProb], { axis: 1, reduction: "add" });
}

function splitRows(g: Graph, rows: HeadRows): { hidden: Ref; targets: Ref }[] {
  const targets = split(g, g.op("Unsqueeze", [rows.targets, g.ints(1)]), rows.chunks);
  return split(g, rows.hidden, rows.chunks).map((hidden, i) => ({ hidden, targets: targets[i] }));
}

function split(g: Graph, x: Ref, parts: number): Ref[] {
  return parts === 1 ? [x] : g.opMany("Split", [x], parts, { axis: 0, num_outputs: parts });
}

/**
 * `x` [rows, width], but not before the given values exist: its shape is made to depend on theirs. Without this, chunks
 * would be computed side by side, and a repeated computation would be merged with the first.
 */
function after(g: Graph, x: Ref, values: readonly Ref[], width: number): Ref {
  if (values.length === 0) return x;
  const size = values.reduce(
    (sum, value) => g.op("Add", [sum, g.op("Mul", [g.op("Shape", [value], { start: 0, end: 1 }), g.ints(0)])]),
    g.ints(width),
  );
  return g.op("Reshape", [x, g.op("Concat", [g.ints(-1), size], { axis: 0 })]);
}
