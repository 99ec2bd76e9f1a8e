import { expect } from "chai";
import {
  type ActorLossOptions,
  actorLoss,
  builtinPolicyLosses,
  countsOf,
  evaluateLoss,
  LOSS_AGG_MODES,
  type LossAlgebra,
  type LossFunction,
  type LossInput,
  type LossTerms,
  type OutputName,
  type PolicyLossConfig,
  sftLoss,
  type Value,
} from "../../../../core/algorithms/index.js";
import { RandomStream } from "../../../../core/data/index.js";
import { type Column, packSequences, type SequenceBatch } from "../../../../core/plugin.js";
import { Graph, type Ref } from "../../../../engines/onnx/ir/index.js";
import { GraphAlgebra } from "../../../../engines/onnx/loss/graph-algebra.js";
import { type OrtTensor, openOrtRuntime } from "../../../../engines/onnx/runtime/index.js";
import { gradientsOf, tinyBackend, worstRelativeError } from "../backend/fixtures.js";

const random = new RandomStream(5, "lowering");
const OUTPUTS = ["logProb", "entropy", "sumPiSquared"] as const;

/** Four ragged sequences with masked tokens in the middle and one without a token that counts. */
const batch = makeBatch();
const counts = { ...countsOf(batch), lossScaleFactor: 7 };

function makeBatch(): SequenceBatch {
  const lengths = [3, 6, 1, 4];
  const sequences = lengths.map((n, b) => ({
    promptIds: [1 + b, 2],
    responseIds: Array.from({ length: n }, () => random.int(11)),
    responseMask: Array.from({ length: n }, (_, t) => (b === 2 || (b === 1 && t === 2) ? 0 : 1)),
  }));
  const total = lengths.reduce((a, b) => a + b);
  const token = (scale: number, shift = 0): Column => ({
    extent: "token",
    data: Float32Array.from({ length: total }, () => shift + scale * random.normal()),
  });
  return packSequences(sequences, {
    columns: [
      ["oldLogProb", token(0.05, -2.3)],
      ["refLogProb", token(0.3, -2.2)],
      ["rolloutLogProb", token(0.1, -2.3)],
      ["advantages", token(1)],
      ["rolloutIsWeights", token(0.1, 1)],
      ["bonus", { extent: "sequence", data: Float32Array.of(0.5, -1, 2, 1) }],
    ],
  });
}

/** Runs a lowered loss alone, over given outputs. */
async function lowered(loss: Pick<LossFunction, "build">, input: LossInput) {
  const g = new Graph("loss");
  const columnNames = [...batch.columns.keys()];
  const sources = {
    mask: g.input("mask", ["R"]),
    sequenceOfToken: g.input("sequences", ["R"], "int32"),
    tokensOfSequence: g.input("tokens", ["B", "L"], "int32"),
  };
  const outputs = new Map<string, Ref>(OUTPUTS.map((name) => [name, g.input(name, ["R"])]));
  const columns = new Map(columnNames.map((name) => [name, g.input(`column:${name}`, ["D"])]));
  const countRefs = new Map(Object.keys(counts).map((name) => [name, g.input(`count:${name}`, [])]));
  const algebra = new GraphAlgebra(g, {
    ...sources,
    output: (name) => outputs.get(name) as Ref,
    column: (name) => ({ ref: columns.get(name) as Ref, extent: batch.columns.get(name)?.extent ?? "token" }),
    count: (name) => countRefs.get(name) as Ref,
  });
  const terms = loss.build(algebra);
  const gradients = algebra.backward(terms.loss, [...outputs.values()]);
  const fetchDims: Record<string, number[]> = { loss: [] };
  g.output(algebra.refOf(terms.loss), "loss", []);
  for (const [name, metric] of Object.entries(terms.metrics)) {
    g.output(algebra.refOf(metric.value), `metric:${name}`, []);
    fetchDims[`metric:${name}`] = [];
  }
  for (const [name, ref] of outputs) {
    const gradient = gradients.get(ref);
    if (gradient) {
      g.output(gradient, `d:${name}`, ["R"]);
      fetchDims[`d:${name}`] = [batch.responseMask.length];
    }
  }
  const runtime = await openOrtRuntime();
  const session = await runtime.createSession(g.encode(), { threads: 1 });
  const float = (data: ArrayLike<number>, dims: number[]) => runtime.tensor("float32", dims, Float32Array.from(data));
  const offsets = batch.responseOffsets;
  const longest = 6;
  const sequences = new Int32Array(batch.responseMask.length);
  const tokens = new Int32Array(batch.size * longest).fill(batch.responseMask.length);
  for (let b = 0; b < batch.size; b++) {
    for (let r = offsets[b]; r < offsets[b + 1]; r++) {
      sequences[r] = b;
      tokens[b * longest + r - offsets[b]] = r;
    }
  }
  const feeds: Record<string, OrtTensor> = {
    mask: float(batch.responseMask, [batch.responseMask.length]),
    sequences: runtime.tensor("int32", [sequences.length], sequences),
    tokens: runtime.tensor("int32", [batch.size, longest], tokens),
  };
  for (const name of OUTPUTS)
    feeds[name] = float(input.outputs[name] ?? batch.responseMask, [batch.responseMask.length]);
  for (const [name, { data }] of batch.columns) feeds[`column:${name}`] = float(data, [data.length]);
  for (const [name, value] of Object.entries(counts)) feeds[`count:${name}`] = float([value], []);
  const fetches = Object.fromEntries(
    Object.entries(fetchDims).map(([name, dims]) => [name, float(new Float32Array(dims[0] ?? 1), dims)]),
  );
  await session.run(feeds, fetches);
  await session.release();
  const read = (name: string) => [...(fetches[name].data as Float32Array)];
  return { names: Object.keys(fetches), read };
}

function tokens(value: () => number): Float32Array {
  return Float32Array.from(batch.responseMask, value);
}

function inputWith(outputs: LossInput["outputs"]): LossInput {
  const { columns, responseMask, responseOffsets } = batch;
  return { outputs, columns, responseMask, responseOffsets, counts };
}

/** Compares a lowered loss with the host's tape on random outputs. */
async function expectAgreement(loss: LossFunction): Promise<void> {
  const outputs = {
    logProb: tokens(() => -2.3 + 0.3 * random.normal()),
    entropy: tokens(() => 2 + 0.1 * random.normal()),
    sumPiSquared: tokens(() => 0.2 + 0.1 * random.next()),
  };
  const expected = evaluateLoss(loss, inputWith(outputs));
  const actual = await lowered(loss, inputWith(outputs));
  const close = (name: string, value: number, want: number) => {
    expect(value).to.be.closeTo(want, 1e-5 * (1 + Math.abs(want)), `${loss.name} ${name}`);
  };
  close("loss", actual.read("loss")[0], expected.loss);
  for (const [name, { value }] of Object.entries(expected.metrics))
    close(name, actual.read(`metric:${name}`)[0], value);
  for (const name of OUTPUTS) {
    const want = expected.gradients[name];
    if (!want) continue;
    const got = actual.names.includes(`d:${name}`) ? actual.read(`d:${name}`) : want.map(() => 0);
    got.forEach((x, i) => {
      close(`d${name}[${i}]`, x, want[i]);
    });
  }
}

function policyConfig(changes: Partial<PolicyLossConfig> = {}): PolicyLossConfig {
  return {
    clipRatioLow: 0.2,
    clipRatioHigh: 0.28,
    clipRatioC: 3,
    lossAggMode: "token-mean",
    hasRolloutIsWeights: true,
    extra: { dro_beta: 0.1 },
    ...changes,
  };
}

function vanillaActor(lossAggMode: ActorLossOptions["lossAggMode"]): LossFunction {
  const vanilla = builtinPolicyLosses.find((l) => l.name === "vanilla");
  const loss = actorLoss({
    policyLoss: vanilla!.create(policyConfig({ lossAggMode })),
    lossAggMode,
    entropyCoeff: 0.01,
    kl: { coef: 0.1, type: "low_var_kl" },
  });
  return loss as LossFunction;
}

describe("engines/onnx/loss lowering", () => {
  it("agrees with the tape for every built-in policy loss that is written in the algebra", async () => {
    const losses = builtinPolicyLosses.map((factory) => factory.create(policyConfig()));
    const lowerable = losses.filter((loss) => loss.kind === "algebra");
    for (const loss of lowerable) await expectAgreement(loss);
    expect(lowerable.map((loss) => loss.name)).to.include.members(["vanilla", "gspo", "cispo", "geo_mean"]);
  });

  it("agrees for the actor's and the supervised loss in every aggregation mode", async () => {
    for (const mode of LOSS_AGG_MODES) {
      await expectAgreement(vanillaActor(mode));
      await expectAgreement(sftLoss(mode));
    }
  });

  it("agrees for every operation and extent of the algebra", async () => {
    const unary = ["neg", "exp", "log", "sqrt", "square", "abs", "sigmoid", "softplus", "stopGradient"] as const;
    const binary = ["add", "sub", "mul", "div", "minimum", "maximum", "greater", "greaterEqual"] as const;
    const extents = (g: LossAlgebra): Value[] => {
      const token = g.output("entropy");
      return [token, g.add(g.square(g.column("bonus")), g.sumTokens(token)), g.div(g.sum(token), g.constant(9))];
    };
    const build = (g: LossAlgebra): LossTerms => {
      const terms: Value[] = [];
      for (const x of extents(g)) {
        for (const op of unary) terms.push(g.sum(g[op](x)));
        terms.push(g.sum(g.clamp(x, 1.9, 2.1)));
        for (const y of extents(g)) {
          for (const op of binary) terms.push(g.sum(g[op](x, y)));
          terms.push(g.sum(g.where(g.greater(x, g.constant(2)), g.mul(x, y), y)));
        }
      }
      return { loss: terms.reduce((a, b) => g.add(a, g.mul(g.constant(1e-2), b))), metrics: {} };
    };
    await expectAgreement({
      kind: "algebra",
      name: "all",
      scope: "token",
      outputs: ["entropy"],
      columns: [],
      key: "",
      build,
    });
  });

  it("lets a branch that is not taken contribute neither value nor gradient, NaN included", async () => {
    const build = (g: LossAlgebra): LossTerms => {
      const x = g.output("logProb");
      const bad = g.log(g.sub(x, x));
      return { loss: g.sum(g.where(g.greater(x, g.constant(100)), bad, x)), metrics: {} };
    };
    const { read } = await lowered({ build }, inputWith({ logProb: tokens(() => -1) }));
    expect(read("loss")[0]).to.be.closeTo(-batch.responseMask.length, 1e-5);
    expect(read("d:logProb").every((x) => x === 1)).to.equal(true);
  });
});

describe("engines/onnx fused and two-phase", () => {
  it("give the same loss, metrics and gradients through the whole model, in every aggregation mode", async () => {
    const all = LOSS_AGG_MODES.flatMap((mode) => [vanillaActor(mode), sftLoss(mode)]);
    const cases = [
      { logitsMemoryMiB: 512, losses: all },
      { logitsMemoryMiB: 1e-3, losses: all.slice(0, 2) },
    ];
    for (const { logitsMemoryMiB, losses } of cases) {
      const backend = await tinyBackend({ tied: true, kwargs: { logitsMemoryMiB } });
      for (const loss of losses) {
        await backend.zeroGrad();
        const fused = await backend.fused(batch, loss, counts);
        const gradients = await gradientsOf(backend);
        await backend.zeroGrad();
        const outputs = await backend.forward(batch, loss.outputs as OutputName[]);
        const expected = evaluateLoss(loss, inputWith(outputs));
        await backend.backward(batch, expected.gradients);
        expect(fused?.loss).to.be.closeTo(expected.loss, 1e-5 * (1 + Math.abs(expected.loss)), loss.key);
        for (const [name, metric] of Object.entries(expected.metrics)) {
          expect(fused?.metrics[name].reduction).to.equal(metric.reduction);
          expect(fused?.metrics[name].weight).to.equal(metric.weight);
          expect(fused?.metrics[name].value).to.be.closeTo(metric.value, 1e-5 * (1 + Math.abs(metric.value)), name);
        }
        expect(worstRelativeError(gradients, await gradientsOf(backend)), loss.key).to.be.below(1e-5);
      }
      await backend.dispose();
    }
  });
});
