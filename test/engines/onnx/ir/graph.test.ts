import { expect } from "chai";
import { Autodiff, Graph, type Ref } from "../../../../engines/onnx/ir/index.js";
import { openOrtRuntime } from "../../../../engines/onnx/runtime/index.js";

describe("engines/onnx/ir graph", () => {
  it("shares equal constants", () => {
    const g = new Graph("constants");
    expect(g.scalar(2)).to.equal(g.scalar(2));
    expect(g.scalar(0)).to.not.equal(g.scalar(-0));
    expect(g.ints(1, 2)).to.equal(g.ints(1, 2));
    expect(g.ints(1)).to.not.equal(g.int(1));
    expect(g.toModel().initializers).to.have.lengthOf(6);
  });

  it("puts results that only leave the graph last, the earliest at the end", () => {
    const g = new Graph("order");
    const x = g.input("x", [1]);
    const first = g.op("Neg", [x]);
    const inner = g.op("Abs", [x]);
    const second = g.op("Exp", [inner]);
    g.output(first, "first", [1]);
    g.output(second, "second", [1]);
    const { nodes } = g.toModel();
    expect(nodes.map(({ opType }) => opType)).to.deep.equal(["Abs", "Exp", "Neg"]);
    expect(nodes[2].outputs).to.deep.equal(["first"]);
  });

  it("publishes a value under several names, inputs and constants too", async () => {
    const g = new Graph("outputs");
    const x = g.input("x", [1]);
    const y = g.op("Neg", [x]);
    const outputs = { y, again: y, input: x, constant: g.scalar(3) };
    for (const [name, ref] of Object.entries(outputs)) g.output(ref, name, name === "constant" ? [] : [1]);
    const runtime = await openOrtRuntime();
    const session = await runtime.createSession(g.encode());
    const fetches = Object.fromEntries(
      Object.keys(outputs).map((name) => [
        name,
        runtime.tensor("float32", name === "constant" ? [] : [1], new Float32Array(1)),
      ]),
    );
    await session.run({ x: runtime.tensor("float32", [1], Float32Array.of(5)) }, fetches);
    const values = Object.values(fetches).map((t) => t.data[0]);
    expect(values).to.deep.equal([-5, -5, 5, 3]);
    await session.release();
  });

  it("repeats the body of a loop, over values of the graph around it, and collects from each iteration", async () => {
    const g = new Graph("loop");
    const x = g.input("x", [2]);
    const step = g.op("Mul", [x, g.scalar(10)]);
    g.output(step, "step", [2]);
    const { next, collected } = g.loop(g.input("count", [], "int64"), [x, x], (b, i, [sum]) => {
      const added = b.op("Add", [sum, b.op("Add", [step, b.op("Cast", [i], { to: 1 })])]);
      return { next: [added, step], collected: [b.op("Neg", [added])] };
    });
    const [sum, last] = next;
    g.output(collected[0], "sums", null);
    g.output(sum, "sum", [2]);
    g.output(last, "last", [2]);
    const runtime = await openOrtRuntime();
    const session = await runtime.createSession(g.encode());
    const vector = (a: number, b: number) => runtime.tensor("float32", [2], Float32Array.of(a, b));
    for (const [count, expected] of [
      [0, [1, 2]],
      [3, [34, 65]],
    ] as const) {
      // Without an iteration onnxruntime does not know what shape one would have given.
      const sums = runtime.tensor("float32", count === 0 ? [0] : [count, 2], new Float32Array(2 * count));
      const fetches = { sum: vector(0, 0), last: vector(0, 0), step: vector(0, 0), sums };
      const feeds = { x: vector(1, 2), count: runtime.tensor("int64", [], BigInt64Array.of(BigInt(count))) };
      await session.run(feeds, fetches);
      expect([...fetches.sum.data]).to.deep.equal(expected);
      expect([...sums.data]).to.deep.equal([-11, -22, -22, -43, -34, -65].slice(0, 2 * count));
      expect([...fetches.last.data]).to.deep.equal(count === 0 ? [1, 2] : [10, 20]);
    }
    await session.release();
  });

  it("names operators after the part of the model that they are added for, gradients too", () => {
    const g = new Graph("parts");
    const ad = new Autodiff(g);
    const x = g.input("x", [2]);
    const y = g.within("mlp", () => ad.record(g.op("Neg", [x]), [x], (dy) => [() => g.op("Neg", [dy])]));
    g.output(ad.backward(new Map([[y, y]]), [x]).get(x) as Ref, "dx", [2]);
    expect(g.toModel().nodes.map(({ name }) => name)).to.deep.equal(["mlp/Neg_0", "mlp backward/Neg_1"]);
  });
});
