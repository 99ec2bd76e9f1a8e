import assert from "node:assert/strict";
import {
  type AnyLoss,
  type BaseEngine,
  type BatchOptions,
  type Column,
  type LossFunction,
  type OptimizerConfig,
  packSequences,
  type SequenceBatch,
} from "../../core/plugin.js";

/** What the suite asks for; the engine is made new each time, with the same weights. */
export interface EngineUnderTest {
  readonly optimizer: OptimizerConfig;
}

/** Makes an engine that has not been initialised. Its vocabulary must have at least 8 tokens. */
export type EngineMaker = (wanted: EngineUnderTest) => Promise<BaseEngine> | BaseEngine;

export function optimizerWith(changes: Partial<OptimizerConfig> = {}): OptimizerConfig {
  return {
    name: "adamw",
    lr: 0.01,
    betas: [0.9, 0.99],
    eps: 1e-8,
    weightDecay: 0.1,
    clipGrad: 1,
    schedule: { type: "constant", warmupSteps: 0, totalSteps: 10, minLrRatio: 0, numCycles: 0.5 },
    ...changes,
  };
}

/** AdamW so damped that its first update is the gradient times `PROBE_FACTOR`. */
const PROBE_EPS = 1e4;
const PROBE_FACTOR = 1e2;
const PROBE = optimizerWith({
  lr: PROBE_FACTOR * PROBE_EPS,
  eps: PROBE_EPS,
  betas: [0, 0],
  weightDecay: 0,
  clipGrad: 0,
});

export type Tensors = ReadonlyMap<string, Float32Array>;

export async function parametersOf(engine: BaseEngine): Promise<Tensors> {
  const copies = new Map<string, Float32Array>();
  for await (const { name, data } of engine.getPerTensorParam())
    copies.set(name, Float32Array.from(data as Float32Array));
  return copies;
}

/** Runs `body` on a fresh, initialised engine and disposes it. */
export async function withEngine<T>(
  make: EngineMaker,
  optimizer: OptimizerConfig,
  body: (engine: BaseEngine) => Promise<T>,
): Promise<T> {
  const engine = await make({ optimizer });
  try {
    await engine.initialize();
    return await body(engine);
  } finally {
    await engine.dispose();
  }
}

export interface Probe {
  readonly loss: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly gradients: Tensors;
  readonly microBatches: number;
}

/** Loss, metrics and gradients at the initial weights, seen through the public interface alone. */
export function probe(
  make: EngineMaker,
  batch: SequenceBatch,
  loss: AnyLoss,
  options: BatchOptions = {},
): Promise<Probe> {
  return withEngine(make, PROBE, async (engine) => {
    const before = await parametersOf(engine);
    await using _mode = await engine.trainMode();
    const result = await engine.trainBatch(batch, loss, options);
    assert.equal(result.skipped, false, "the update of a finite gradient was skipped");
    const gradients = new Map<string, Float32Array>();
    for (const [name, after] of await parametersOf(engine)) {
      gradients.set(
        name,
        (before.get(name) as Float32Array).map((x, i) => (x - after[i]) / PROBE_FACTOR),
      );
    }
    const metrics = Object.entries(result.metrics).map(([name, { value }]) => [name, value]);
    return { loss: result.loss, metrics: Object.fromEntries(metrics), gradients, microBatches: result.microBatches };
  });
}

/** ‖a − b‖ of every tensor at most `tolerance` times the larger norm. */
export function assertClose(actual: Tensors, expected: Tensors, tolerance: number): void {
  assert.deepEqual([...actual.keys()].sort(), [...expected.keys()].sort());
  for (const [name, b] of expected) {
    const a = actual.get(name) as Float32Array;
    let [difference, norm] = [0, 0];
    for (let i = 0; i < b.length; i++) {
      difference += (a[i] - b[i]) ** 2;
      norm = norm + Math.max(a[i] ** 2, b[i] ** 2);
    }
    const error = Math.sqrt(difference);
    assert.ok(error <= tolerance * Math.sqrt(norm) + 1e-9, `${name}: relative error ${error / Math.sqrt(norm)}`);
  }
}

export function assertSame(actual: Tensors, expected: Tensors): void {
  assert.deepEqual([...actual.keys()], [...expected.keys()]);
  for (const [name, b] of expected) assert.deepEqual(actual.get(name), b, `${name} differs`);
}

/** Six sequences of different lengths with masked tokens in the middle, and the columns that the losses below read. */
export function sampleBatch(temperature = 1): SequenceBatch {
  const lengths = [
    [2, 4],
    [1, 7],
    [5, 1],
    [3, 3],
    [1, 2],
    [2, 6],
  ];
  let n = 0;
  const token = () => (n++ * 5 + 3) % 8;
  const sequences = lengths.map(([prompt, response], b) => ({
    promptIds: Array.from({ length: prompt }, token),
    responseIds: Array.from({ length: response }, token),
    responseMask: Array.from({ length: response }, (_, t) => (b === 1 && (t === 2 || t === 3) ? 0 : 1)),
  }));
  const total = lengths.reduce((sum, [, response]) => sum + response, 0);
  const columns: [string, Column][] = [
    ["weight", { extent: "token", data: Float32Array.from({ length: total }, (_, i) => Math.sin(2 * i + 1)) }],
    ["bonus", { extent: "sequence", data: Float32Array.from(lengths, (_, b) => Math.cos(b)) }],
  ];
  return packSequences(sequences, { temperature, columns });
}

/** Mean over sequences of the mean over tokens of −weight · bonus · p, minus an entropy bonus. */
export const SAMPLE_LOSS: LossFunction = {
  kind: "algebra",
  name: "conformance",
  scope: "token",
  outputs: ["logProb", "entropy"],
  columns: ["weight", "bonus"],
  key: "conformance/1",
  build(g) {
    const factor = g.mul(g.column("weight"), g.column("bonus"));
    const gain = g.mul(factor, g.exp(g.mul(g.constant(0.5), g.output("logProb"))));
    const perToken = g.mul(g.mask(), g.add(gain, g.mul(g.constant(0.1), g.output("entropy"))));
    const perSequence = g.div(g.sumTokens(perToken), g.sumTokens(g.mask()));
    const tokens = g.count("batchNumTokens");
    return {
      loss: g.neg(g.div(g.sum(perSequence), g.count("globalBatchSize"))),
      metrics: {
        "conformance/entropy": {
          value: g.div(g.sum(g.mul(g.mask(), g.output("entropy"))), tokens),
          reduction: "sum",
        },
      },
    };
  },
};
