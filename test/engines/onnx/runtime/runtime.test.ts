import { expect } from "chai";
import { isVerlError } from "../../../../core/plugin.js";
import { Graph } from "../../../../engines/onnx/ir/index.js";
import { allocateTensorData, type OrtRuntime, openOrtRuntime } from "../../../../engines/onnx/runtime/index.js";
import { selfTest } from "../../../../engines/onnx/runtime/self-test.js";

function axpyGraph(): Uint8Array {
  const g = new Graph("axpy");
  const [x, y] = [g.input("x", ["n"]), g.input("y", ["n"])];
  g.output(g.op("Add", [g.op("Mul", [x, g.scalar(2)]), y]), "out", ["n"]);
  return g.encode();
}

const SIDE = 384;

/** Computes for a good while: x = 1/2 everywhere, and what comes out is 1/2 again. */
function longGraph(): Uint8Array {
  const g = new Graph("long");
  const x = g.input("x", [SIDE, SIDE]);
  let y = x;
  for (let i = 0; i < 60; i++) y = g.op("Mul", [g.op("MatMul", [y, x]), g.scalar(2 / SIDE)]);
  g.output(y, "y", [SIDE, SIDE]);
  return g.encode();
}

function square(runtime: OrtRuntime) {
  const tensor = () => runtime.tensor("float32", [SIDE, SIDE], allocateTensorData("float32", SIDE * SIDE).fill(0.5));
  return { x: tensor(), y: tensor() };
}

for (const kind of ["capi", "binding"] as const) {
  describe(`engines/onnx/runtime ${kind}`, () => {
    let runtime: OrtRuntime;
    before(async () => {
      runtime = await openOrtRuntime({ kind });
    });

    it("passes its own self-test", () => selfTest(runtime));

    it("writes results into the caller's memory, small arrays included", async () => {
      const session = await runtime.createSession(axpyGraph(), { threads: 1 });
      const x = runtime.tensor("float32", [3], Float32Array.of(1, 2, 3));
      const backing = new Float32Array(8);
      const y = runtime.tensor("float32", [3], backing.subarray(2, 5));
      backing.set([10, 20, 30], 2);
      await session.run({ x, y }, { out: y });
      expect([...backing]).to.deep.equal([0, 0, 12, 24, 36, 0, 0, 0]);
      await session.release();
    });

    it("accepts runs that overlap", async () => {
      const session = await runtime.createSession(axpyGraph(), { threads: 2 });
      const outs = await Promise.all(
        Array.from({ length: 8 }, async (_, i) => {
          const data = (value: number) => allocateTensorData("float32", 1000).fill(value);
          const out = runtime.tensor("float32", [1000], data(0));
          const [x, y] = [runtime.tensor("float32", [1000], data(i)), runtime.tensor("float32", [1000], data(1))];
          await session.run({ x, y }, { out });
          return out.data;
        }),
      );
      outs.forEach((out, i) => {
        expect(out.every((v) => v === 2 * i + 1)).to.equal(true);
      });
      await session.release();
    });

    it("names what went wrong when a graph is refused or a run fails", async () => {
      const bad = new Graph("bad");
      bad.output(bad.op("NoSuchOperator", [bad.input("x", ["n"])]), "y", ["n"]);
      const refused = await runtime.createSession(bad.encode()).catch((e) => e);
      expect(isVerlError(refused) && refused.code).to.equal("VERL_ONNX_SESSION_FAILED");
      expect(refused.message).to.include("NoSuchOperator");
      const session = await runtime.createSession(axpyGraph());
      const x = runtime.tensor("float32", [3], new Float32Array(3));
      const y = runtime.tensor("float32", [4], new Float32Array(4));
      const failed = await session.run({ x, y }, { out: y }).catch((e) => e);
      expect(isVerlError(failed) && failed.code).to.equal("VERL_ONNX_RUN_FAILED");
      await session.release();
    });

    it("refuses memory that does not match the shape", () => {
      expect(() => runtime.tensor("float32", [2, 2], new Float32Array(3))).to.throw("VERL_ONNX_BAD_TENSOR");
    });

    it("lets the event loop turn while a graph is computed", async () => {
      const session = await runtime.createSession(longGraph(), { threads: 1 });
      const { x, y } = square(runtime);
      let turns = 0;
      const count = setInterval(() => turns++, 1);
      await session.run({ x }, { y });
      clearInterval(count);
      expect(turns).to.be.above(3);
      expect(y.data[0]).to.be.closeTo(0.5, 1e-6);
      await session.release();
    });

    it("rejects with the signal's reason when it is aborted in mid-run, and computes on", async () => {
      const session = await runtime.createSession(longGraph(), { threads: 1 });
      const { x, y } = square(runtime);
      const abort = new AbortController();
      const run = session.run({ x }, { y }, { signal: abort.signal });
      const reason = new Error("enough");
      setImmediate(() => abort.abort(reason));
      expect(await run.catch((error) => error)).to.equal(reason);
      await session.run({ x }, { y });
      expect(y.data[0]).to.be.closeTo(0.5, 1e-6);
      await session.release();
    });

    it("takes one tensor for several runs at once", async () => {
      const session = await runtime.createSession(axpyGraph(), { threads: 1 });
      const x = runtime.tensor("float32", [2], Float32Array.of(1, 2));
      const outs = await Promise.all(
        [10, 20, 30].map(async (value) => {
          const y = runtime.tensor("float32", [2], allocateTensorData("float32", 2).fill(value));
          await session.run({ x, y }, { out: y });
          return [...y.data];
        }),
      );
      expect(outs).to.deep.equal([
        [12, 14],
        [22, 24],
        [32, 34],
      ]);
      await session.release();
    });

    it("computes short runs as well", async () => {
      const session = await runtime.createSession(axpyGraph(), { threads: 1, shortRuns: true });
      const x = runtime.tensor("float32", [2], Float32Array.of(1, 2));
      await session.run({ x, y: x }, { out: x });
      expect([...x.data]).to.deep.equal([3, 6]);
      await session.release();
    });

    it("rejects with the signal's reason when it was aborted before the run", async () => {
      const session = await runtime.createSession(axpyGraph());
      const x = runtime.tensor("float32", [1], new Float32Array(1));
      const reason = new Error("stop");
      const error = await session.run({ x, y: x }, { out: x }, { signal: AbortSignal.abort(reason) }).catch((e) => e);
      expect(error).to.equal(reason);
      await session.release();
    });
  });
}
