import { expect } from "chai";
import {
  type AnyLoss,
  evaluateLoss,
  type LossAlgebra,
  type LossFunction,
  type LossInput,
  type LossTerms,
  type OutputName,
  type Value,
} from "../../../../core/algorithms/index.js";
import { outputExtent, packSequences } from "../../../../core/plugin.js";
import { Graph, type Ref } from "../../../../engines/onnx/ir/index.js";
import { GraphAlgebra } from "../../../../engines/onnx/loss/graph-algebra.js";
import { type OrtRuntime, type OrtTensor, openOrtRuntime } from "../../../../engines/onnx/runtime/index.js";
import { anyLossInput, LOSS_CASES } from "../../../core/algorithms/loss-cases.js";
import { gradientsOf, tinyBackend, worstRelativeError } from "../backend/fixtures.js";
import { lossBatch } from "../backend/loss-batch.js";

const input = anyLossInput();
const { responseMask, responseOffsets, counts } = input;
const [tokens, rows] = [responseMask.length, responseOffsets.length - 1];

let runtime: OrtRuntime;
before(async () => {
  runtime = await openOrtRuntime();
});

const dimsOf = (name: OutputName) => [outputExtent(name) === "token" ? "R" : "B"];

/** Runs a lowered loss alone, over given outputs. */
async function lowered(loss: Pick<LossFunction, "build">, { outputs, columns }: LossInput = input) {
  const g = new Graph("loss");
  const refs = <K extends string>(names: Iterable<K>, prefix: string, dims: string[]) =>
    new Map([...names].map((name) => [name, g.input(`${prefix}${name}`, dims)]));
  const names = Object.keys(outputs) as OutputName[];
  const outputRefs = new Map(names.map((name) => [name, g.input(name, dimsOf(name))]));
  const columnRefs = refs(columns.keys(), "column:", ["D"]);
  const countRefs = refs(Object.keys(counts), "count:", []);
  const algebra = new GraphAlgebra(g, {
    mask: g.input("mask", ["R"]),
    sequenceOfToken: g.input("sequences", ["R"], "int32"),
    tokensOfSequence: g.input("tokens", ["B", "L"], "int32"),
    output: (name) => outputRefs.get(name) as Ref,
    column: (name) => ({ ref: columnRefs.get(name) as Ref, extent: columns.get(name)?.extent ?? "token" }),
    count: (name) => countRefs.get(name) as Ref,
  });
  const terms = loss.build(algebra);
  const gradients = algebra.backward(terms.loss, [...outputRefs.values()]);
  const fetchDims: Record<string, number[]> = { loss: [] };
  g.output(algebra.refOf(terms.loss), "loss", []);
  for (const [name, metric] of Object.entries(terms.metrics)) {
    g.output(algebra.metric(metric) as Ref, `metric:${name}`, []);
    fetchDims[`metric:${name}`] = [];
  }
  for (const [name, ref] of outputRefs) {
    const gradient = gradients.get(ref);
    if (!gradient) continue;
    g.output(gradient, `d:${name}`, dimsOf(name));
    fetchDims[`d:${name}`] = [outputs[name]?.length ?? 0];
  }
  const session = await runtime.createSession(g.encode(), { threads: 1 });
  const float = (data: ArrayLike<number>, dims: number[]) => runtime.tensor("float32", dims, Float32Array.from(data));
  const feeds: Record<string, OrtTensor> = { mask: float(responseMask, [tokens]), ...layout() };
  for (const [name, data = []] of Object.entries(outputs)) feeds[name] = float(data, [data.length]);
  for (const [name, { data }] of columns) feeds[`column:${name}`] = float(data, [data.length]);
  for (const [name, value] of Object.entries(counts)) feeds[`count:${name}`] = float([value], []);
  const fetches = Object.fromEntries(
    Object.entries(fetchDims).map(([name, dims]) => [name, float(new Float32Array(dims[0] ?? 1), dims)]),
  );
  await session.run(Object.fromEntries(g.inputNames.map((name) => [name, feeds[name]])), fetches);
  await session.release();
  const read = (name: string) => [...(fetches[name].data as Float32Array)];
  return { names: Object.keys(fetches), read };
}

/** Which sequence each token is in, and which tokens each sequence has. */
function layout(): Record<string, OrtTensor> {
  const longest = Math.max(...Array.from({ length: rows }, (_, b) => responseOffsets[b + 1] - responseOffsets[b]));
  const sequences = new Int32Array(tokens);
  const grid = new Int32Array(rows * longest).fill(tokens);
  for (let b = 0; b < rows; b++) {
    for (let r = responseOffsets[b]; r < responseOffsets[b + 1]; r++) {
      sequences[r] = b;
      grid[b * longest + r - responseOffsets[b]] = r;
    }
  }
  return {
    sequences: runtime.tensor("int32", [tokens], sequences),
    tokens: runtime.tensor("int32", [rows, longest], grid),
  };
}

/** Values within 1e-5 of the largest of their kind. */
function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, what: string): void {
  const size = Array.from(expected).reduce((a, b) => Math.max(a, Math.abs(b)), 0.01);
  for (let i = 0; i < expected.length; i++) expect(actual[i], `${what}[${i}]`).to.be.closeTo(expected[i], 1e-5 * size);
}

/** Compares a lowered loss with the host's tape. */
async function expectAgreement(loss: LossFunction, at = input): Promise<void> {
  const expected = evaluateLoss(loss, at);
  const actual = await lowered(loss, at);
  expectClose(actual.read("loss"), [expected.loss], `${loss.key} loss`);
  for (const [name, { value }] of Object.entries(expected.metrics)) {
    expectClose(actual.read(`metric:${name}`), [value], `${loss.key} ${name}`);
  }
  for (const name of loss.outputs) {
    const none = new Float32Array(at.outputs[name]?.length ?? 0);
    const want = expected.gradients[name] ?? none;
    const got = actual.names.includes(`d:${name}`) ? actual.read(`d:${name}`) : none;
    expectClose(got, want, `${loss.key} ∂/∂${name}`);
  }
}

const algebraOf = (losses: readonly AnyLoss[]) =>
  losses.filter((loss): loss is LossFunction => loss.kind === "algebra");

describe("engines/onnx/loss lowering", () => {
  for (const [file, losses] of Object.entries(LOSS_CASES)) {
    const lowerable = algebraOf(losses);
    if (lowerable.length === 0) continue;
    it(`agrees with the tape: ${file}`, async () => {
      for (const loss of lowerable) await expectAgreement(loss);
    });
  }

  it("agrees for every operation and extent of the algebra", async () => {
    const unary = ["neg", "exp", "log", "sqrt", "square", "abs", "sigmoid", "softplus", "stopGradient"] as const;
    const binary = ["add", "sub", "mul", "div", "minimum", "maximum", "greater", "greaterEqual"] as const;
    const extents = (g: LossAlgebra): Value[] => {
      const token = g.output("entropy");
      return [token, g.add(g.square(g.column("margin")), g.sumTokens(token)), g.div(g.sum(token), g.constant(9))];
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
    const { read } = await lowered({ build }, { ...input, outputs: { logProb: new Float64Array(tokens).fill(-1) } });
    expect(read("loss")[0]).to.be.closeTo(-tokens, 1e-5);
    expect(read("d:logProb").every((x) => x === 1)).to.equal(true);
  });

  it("takes extremes over the tokens that count", async () => {
    const build = (g: LossAlgebra): LossTerms => ({
      loss: g.sum(g.output("logProb")),
      metrics: {
        low: { value: g.output("logProb"), reduction: "min" },
        high: { value: g.output("logProb"), reduction: "max" },
      },
    });
    const logProb = Float64Array.from(responseMask, (m, r) => (m ? -1 - r : r % 2 === 0 ? Number.NaN : 99));
    const { read } = await lowered({ build }, { ...input, outputs: { logProb } });
    expect([read("metric:low")[0], read("metric:high")[0]]).to.deep.equal([-tokens, -1]);
  });
});

describe("engines/onnx fused and two-phase", () => {
  const batch = lossBatch();
  const isLowered = (loss: LossFunction) => loss.outputs.every((name) => /^(logProb|entropy|sumPiSquared)$/.test(name));

  async function expectSame(backend: Awaited<ReturnType<typeof tinyBackend>>, loss: LossFunction): Promise<void> {
    await backend.zeroGrad();
    const fused = await backend.fused(batch, loss, counts);
    if (!fused) throw new Error(`${loss.key} was not lowered`);
    const gradients = await gradientsOf(backend);
    await backend.zeroGrad();
    const outputs = await backend.forward(batch, loss.outputs as OutputName[]);
    const expected = evaluateLoss(loss, { ...input, columns: batch.columns, outputs });
    await backend.backward(batch, expected.gradients);
    expectClose([fused.loss], [expected.loss], loss.key);
    for (const [name, { value, reduction, weight }] of Object.entries(expected.metrics)) {
      expect(fused.metrics[name]).to.include({ reduction, weight });
      expectClose([fused.metrics[name].value], [value], `${loss.key} ${name}`);
    }
    expect(worstRelativeError(gradients, await gradientsOf(backend)), loss.key).to.be.below(1e-5);
  }

  it("give the same loss, metrics and gradients through the whole model, for every kind of loss", async () => {
    const backend = await tinyBackend({ tied: true });
    for (const losses of Object.values(LOSS_CASES)) {
      const [first] = algebraOf(losses).filter(isLowered);
      if (first) await expectSame(backend, first);
    }
    await backend.dispose();
  });

  it("give the same where the head is computed in chunks, kept or not", async () => {
    const logits = (batch.responseOffsets[batch.size] * 11 * Float32Array.BYTES_PER_ELEMENT) / 2 ** 20;
    for (const arrays of [2.6, 0.6]) {
      const backend = await tinyBackend({ kwargs: { logitsMemoryMiB: arrays * logits } });
      for (const loss of algebraOf(LOSS_CASES.actor).slice(0, 2)) await expectSame(backend, loss);
      await backend.dispose();
    }
  });

  it("leave to two phases what cannot be lowered, and half a pair", async () => {
    const backend = await tinyBackend();
    for (const file of ["value", "reward-model", "topk-distillation"]) {
      for (const loss of algebraOf(LOSS_CASES[file]))
        expect(await backend.fused(batch, loss, counts), file).to.equal(null);
    }
    const odd = packSequences([{ promptIds: [1], responseIds: [2] }], {
      columns: ["refLogProb", "chosen"].map((name) => [
        name,
        { extent: name === "chosen" ? ("sequence" as const) : ("token" as const), data: Float32Array.of(1) },
      ]),
    });
    expect(await backend.fused(odd, algebraOf(LOSS_CASES.dpo)[0], counts)).to.equal(null);
    await backend.dispose();
  });

  it("leave to the host a loss that is no scalar", async () => {
    const backend = await tinyBackend();
    const build = (g: LossAlgebra): LossTerms => ({ loss: g.output("logProb"), metrics: {} });
    const shape = { kind: "algebra", scope: "token", outputs: ["logProb"], columns: [] } as const;
    expect(await backend.fused(batch, { ...shape, name: "vector", key: "vector", build }, counts)).to.equal(null);
    await backend.dispose();
  });
});
