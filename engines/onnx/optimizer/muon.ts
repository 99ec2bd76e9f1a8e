import type { MuonScale } from "../../../core/plugin.js";
import type { Graph } from "../ir/index.js";
import type { OrtRuntime, OrtSession } from "../runtime/index.js";
import { MUON, muonGraph } from "./newton-schulz.js";
import type { ShardParameter, UpdateRule, UpdateShard, UpdateStep } from "./update-rule.js";

/** Compiles a graph once per key. */
export type CompileGraph = (key: string, build: () => Graph) => Promise<OrtSession>;

const DEFAULT_MOMENTUM = 0.95;
const DEFAULT_ITERATIONS = 5;

/** Factor of the rate for a matrix [rows, columns], as `adjust_lr_fn` of `torch.optim.Muon`. */
const SCALES: Readonly<Record<MuonScale, (rows: number, columns: number) => number>> = {
  /** Jordan et al., 2024. */
  original: (rows, columns) => Math.sqrt(Math.max(1, rows / columns)),
  /** Updates as large as AdamW's usually are, so that one rate serves both (2502.16982). */
  match_rms_adamw: (rows, columns) => 0.2 * Math.sqrt(Math.max(rows, columns)),
  /** Bernstein, 2025. */
  spectral_unclamped: (rows, columns) => Math.sqrt(rows / columns),
};

/**
 * Muon (Jordan et al., 2024): the momentum of a matrix, made nearly orthogonal by Newton–Schulz iterations, is its update.
 * The iterations are products of matrices and run in onnxruntime, in float32.
 */
export class Muon implements UpdateRule {
  readonly state = ["momentum"];

  constructor(
    private readonly runtime: OrtRuntime,
    private readonly compile: CompileGraph,
  ) {}

  async update({ kernels, parameters }: UpdateShard, step: UpdateStep): Promise<void> {
    const { values, gradients } = kernels;
    const [momentum] = kernels.state;
    for (const parameter of parameters) await this.updateMatrix(parameter, { values, gradients, momentum }, step);
  }

  private async updateMatrix(
    { shape, offset, length }: ShardParameter,
    shard: Readonly<Record<"values" | "gradients" | "momentum", Float32Array>>,
    { lr, gradScale, weightDecay, optimizer }: UpdateStep,
  ): Promise<void> {
    const { momentum: mu = DEFAULT_MOMENTUM, nesterov = true, muon = {} } = optimizer;
    const { scale = "match_rms_adamw", iterations = DEFAULT_ITERATIONS } = muon;
    const [rows, columns] = shape;
    const kind = rows <= columns ? "wide" : "tall";
    const session = await this.compile(`muon|${kind}|${iterations}`, () => muonGraph(kind, iterations));
    const tensor = (array: Float32Array) =>
      this.runtime.tensor("float32", shape, array.subarray(offset, offset + length));
    const scalar = (value: number) => this.runtime.tensor("float32", [], Float32Array.of(value));
    const [values, momentum] = [tensor(shard.values), tensor(shard.momentum)];
    const feeds = {
      [MUON.values]: values,
      [MUON.momentum]: momentum,
      [MUON.gradient]: tensor(shard.gradients),
      [MUON.gradScale]: scalar(gradScale),
      [MUON.decayRate]: scalar(mu),
      [MUON.gradientShare]: scalar(1 - mu),
      [MUON.ofGradient]: scalar(nesterov ? 1 - mu : 0),
      [MUON.ofMomentum]: scalar(nesterov ? mu : 1),
      [MUON.valueDecay]: scalar(1 - lr * weightDecay),
      [MUON.stepSize]: scalar(lr * SCALES[scale](rows, columns)),
    };
    try {
      await session.run(feeds, { [MUON.newValues]: values, [MUON.newMomentum]: momentum });
    } finally {
      for (const fed of Object.values(feeds)) fed.release();
    }
  }
}
