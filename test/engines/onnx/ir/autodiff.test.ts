import { expect } from "chai";
import { Autodiff, Graph, once, type Ref } from "../../../../engines/onnx/ir/index.js";
import { openOrtRuntime } from "../../../../engines/onnx/runtime/index.js";

function multiply(ad: Autodiff, a: Ref, b: Ref): Ref {
  const { graph } = ad;
  return ad.record(graph.op("Mul", [a, b]), [a, b], (dy) => [
    (acc) => plus(graph, graph.op("Mul", [dy, b]), acc),
    (acc) => plus(graph, graph.op("Mul", [dy, a]), acc),
  ]);
}

function plus(graph: Graph, gradient: Ref, accumulator: Ref | null): Ref {
  return accumulator ? graph.op("Add", [accumulator, gradient]) : gradient;
}

describe("engines/onnx/ir autodiff", () => {
  it("adds up gradients over every use and accumulates in place", async () => {
    const g = new Graph("cube");
    const x = g.input("x", [2]);
    const w = g.input("w", [2]);
    const wGradIn = g.input("wGradIn", [2]);
    const ad = new Autodiff(g);
    const y = multiply(ad, multiply(ad, multiply(ad, x, x), w), w); // x² w²
    const grads = ad.backward(new Map([[y, g.scalar(1)]]), [x, w], new Map([[w, wGradIn]]));
    g.output(grads.get(x)!, "dx", [2]);
    g.output(grads.get(w)!, "wGradOut", [2]);
    const runtime = await openOrtRuntime();
    const session = await runtime.createSession(g.encode());
    const tensor = (...v: number[]) => runtime.tensor("float32", [2], Float32Array.from(v));
    const [xs, ws, dx, dw] = [tensor(2, 3), tensor(5, 7), tensor(0, 0), tensor(100, 200)];
    await session.run({ x: xs, w: ws, wGradIn: dw }, { dx, wGradOut: dw });
    expect([...dx.data]).to.deep.equal([2 * 2 * 25, 2 * 3 * 49]);
    expect([...dw.data]).to.deep.equal([100 + 4 * 2 * 5, 200 + 9 * 2 * 7]);
    await session.release();
  });

  it("lets the backward pass compute a value again instead of keeping it", () => {
    const g = new Graph("again");
    const x = g.input("x", [1]);
    const ad = new Autodiff(g);
    const y = g.op("Neg", [x]);
    const again = once(() => g.op("Sub", [g.scalar(0), x]));
    ad.recompute(y, again);
    const square = ad.record(g.op("Mul", [y, y]), [y], (dy) => [() => g.op("Mul", [dy, ad.again(y)])]);
    expect(ad.again(square)).to.equal(square);
    ad.backward(new Map([[square, g.scalar(2)]]), [y]);
    const { nodes } = g.toModel();
    expect(nodes.map(({ opType }) => opType)).to.deep.equal(["Neg", "Sub", "Mul", "Mul"]);
    expect(nodes[2].inputs).to.include(again()).and.not.include(y);
  });

  it("leaves out a target that the seeds do not reach", () => {
    const g = new Graph("unused");
    const [x, w] = [g.input("x", [1]), g.input("w", [1])];
    const ad = new Autodiff(g);
    const y = multiply(ad, x, x);
    const grads = ad.backward(new Map([[y, g.scalar(1)]]), [x, w]);
    expect([...grads.keys()]).to.deep.equal([x]);
  });
});
