import { expect } from "chai";
import fc from "fast-check";
import { Autodiff, Graph, type Ref } from "../../../../engines/onnx/ir/index.js";
import { type AttentionShape, attention, causalMask } from "../../../../engines/onnx/models/attention.js";
import { blockwiseAttention } from "../../../../engines/onnx/models/blockwise-attention.js";
import { allocateTensorData, elementCount, openOrtRuntime } from "../../../../engines/onnx/runtime/index.js";

interface Case {
  readonly batch: number;
  readonly length: number;
  readonly window: number | null;
  readonly rows: number;
  readonly shape: AttentionShape;
}

type Attention = (ad: Autodiff, q: Ref, k: Ref, v: Ref) => Ref;

const NAMES = ["q", "k", "v"] as const;

/** The result of an attention over random inputs, and the gradients of its inputs. */
async function computed({ batch, length, shape }: Case, build: Attention): Promise<Record<string, Float32Array>> {
  const { numHeads, numKvHeads, headDim } = shape;
  const dims = (heads: number) => [batch, length, heads * headDim];
  const shapes = { q: dims(numHeads), k: dims(numKvHeads), v: dims(numKvHeads), dy: dims(numHeads) };
  const g = new Graph("attention");
  const ad = new Autodiff(g);
  const input = (name: keyof typeof shapes) => g.input(name, ["B", "T", shapes[name][2]]);
  const [q, k, v] = NAMES.map(input);
  const y = build(ad, q, k, v);
  const gradients = ad.backward(new Map([[y, input("dy")]]), [q, k, v]);
  g.output(y, "y", null);
  for (const name of NAMES) g.output(gradients.get(name as Ref) as Ref, `d${name}`, null);

  const runtime = await openOrtRuntime();
  const session = await runtime.createSession(g.encode(), { threads: 1 });
  const tensor = (dims: readonly number[], fill: (i: number) => number) => {
    const data = allocateTensorData("float32", elementCount(dims));
    return runtime.tensor(
      "float32",
      dims,
      data.map((_, i) => fill(i)),
    );
  };
  const feeds = Object.fromEntries(
    Object.entries(shapes).map(([name, dims], n) => [name, tensor(dims, (i) => 1.5 * Math.sin(i * i + 7 * n))]),
  );
  const fetches = {
    y: tensor(shapes.q, () => 0),
    dq: tensor(shapes.q, () => 0),
    dk: tensor(shapes.k, () => 0),
    dv: tensor(shapes.v, () => 0),
  };
  await session.run(feeds, fetches);
  await session.release();
  return Object.fromEntries(Object.entries(fetches).map(([name, { data }]) => [name, data]));
}

const shapes = fc
  .record({
    numKvHeads: fc.integer({ min: 1, max: 2 }),
    group: fc.integer({ min: 1, max: 3 }),
    headDim: fc.constantFrom(2, 4),
    softcap: fc.constantFrom(null, null, 1.5),
  })
  .map(({ group, ...rest }) => ({ ...rest, numHeads: group * rest.numKvHeads, scale: 0.6 }));
const cases: fc.Arbitrary<Case> = fc.record({
  batch: fc.integer({ min: 1, max: 3 }),
  length: fc.integer({ min: 1, max: 40 }),
  window: fc.option(fc.integer({ min: 1, max: 45 }), { freq: 5 }),
  rows: fc.constantFrom(1, 2, 4, 8, 16),
  shape: shapes,
});

describe("engines/onnx/models attention in blocks", () => {
  it("is attention under the full mask, for any lengths, windows and blocks, and so are its gradients", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const { window, rows, shape } = one;
        const group = shape.numHeads / shape.numKvHeads;
        const whole = await computed(one, (ad, q, k, v) => {
          const length = ad.graph.op("Squeeze", [ad.graph.op("Shape", [q], { start: 1, end: 2 }), ad.graph.ints(0)]);
          return attention(ad, q, k, v, causalMask(ad.graph, length, group, window), shape);
        });
        const blocks = await computed(one, (ad, q, k, v) => blockwiseAttention(ad, q, k, v, { rows, window }, shape));
        for (const [name, expected] of Object.entries(whole)) {
          const largest = expected.reduce((a, b) => Math.max(a, Math.abs(b)), 1e-2);
          const worst = expected.reduce((a, x, i) => Math.max(a, Math.abs(blocks[name][i] - x)), 0);
          expect(worst / largest, name).to.be.below(3e-6);
        }
      }),
      { numRuns: 60 },
    );
  });
});
