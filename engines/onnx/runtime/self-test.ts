import { Graph } from "../ir/index.js";
import { openRuntimeOfKind } from "./open-runtime.js";
import { checkOperators, expectClose } from "./operator-checks.js";
import type { OrtRuntime, OrtSession, OrtTensor } from "./ort-runtime.js";
import { allocateTensorData, elementCount } from "./tensor-memory.js";

/**
 * What a provider must get right before it is trusted, because a wrong kernel or pointer is silent: a small
 * forward-and-backward graph on two threads with heavily duplicated indices, gradients accumulated in place, compared with
 * plain loops and repeated; then runs in flight at once, and an abort; before all that, the operators whose results are not
 * plain arithmetic.
 */
export async function selfTest(runtime: OrtRuntime): Promise<void> {
  await checkOperators(runtime);
  const session = await runtime.createSession(testGraph(), { threads: 2 });
  const cases = Array.from({ length: 4 }, (_, i) => makeCase(runtime, i));
  for (let round = 0; round < REPEATS; round++) {
    const c = cases[round % cases.length];
    await c.run(session);
    c.verify();
  }
  await Promise.all(cases.map((c) => c.run(session)));
  for (const c of cases) c.verify();
  if (runtime.kind === "capi") await verifyAbort(runtime);
  await session.release();
  for (const c of cases) c.release();
}

const REPEATS = 100;
const ROWS = 192;
const WIDTH = 64;
const VOCABULARY = 96;

/** y = E[ids] Wᵀ; dW += yᵀ E[ids] through Gemm's C operand; rows = softmax(y). */
function testGraph(): Uint8Array {
  const g = new Graph("self-test");
  const ids = g.input("ids", ["N"], "int64");
  const table = g.input("table", [VOCABULARY, WIDTH]);
  const weight = g.input("weight", [WIDTH, WIDTH]);
  const sum = g.input("sum", [WIDTH, WIDTH]);
  const x = g.op("Gather", [table, ids]);
  const y = g.op("Gemm", [x, weight], { transB: 1 });
  g.output(g.op("Gemm", [y, x, sum], { transA: 1 }), "sumOut", [WIDTH, WIDTH]);
  g.output(g.op("Softmax", [y], { axis: -1 }), "rows", ["N", WIDTH]);
  return g.encode();
}

interface Case {
  run(session: OrtSession): Promise<void>;
  verify(): void;
  release(): void;
}

function makeCase(runtime: OrtRuntime, seed: number): Case {
  const tensors: OrtTensor[] = [];
  const make = (dims: number[], value: (i: number) => number) => {
    const data = allocateTensorData("float32", elementCount(dims));
    for (let i = 0; i < data.length; i++) data[i] = value(i);
    const tensor = runtime.tensor("float32", dims, data);
    tensors.push(tensor);
    return tensor;
  };
  const idData = allocateTensorData("int64", ROWS);
  // Zipf-like: a few ids take most rows.
  for (let i = 0; i < ROWS; i++) idData[i] = BigInt(Math.floor(VOCABULARY / (1 + ((i * 7 + seed) % 97))));
  for (let i = 0; i < ROWS; i++) if (idData[i] >= BigInt(VOCABULARY)) idData[i] = 0n;
  const ids = runtime.tensor("int64", [ROWS], idData);
  tensors.push(ids);
  const table = make([VOCABULARY, WIDTH], (i) => Math.sin(i * 0.7 + seed) * 0.3);
  const weight = make([WIDTH, WIDTH], (i) => Math.cos(i * 1.3 + seed) * 0.2);
  const sum = make([WIDTH, WIDTH], () => 0);
  const rows = make([ROWS, WIDTH], () => Number.NaN);
  const expected = reference(idData, table.data, weight.data);
  return {
    async run(session) {
      sum.data.fill(1);
      rows.data.fill(Number.NaN);
      await session.run({ ids, table, weight, sum }, { sumOut: sum, rows });
    },
    verify() {
      expectClose("accumulated product", sum.data, expected.sum);
      expectClose("softmax", rows.data, expected.rows);
    },
    release() {
      for (const t of tensors) t.release();
    },
  };
}

function reference(ids: BigInt64Array, table: Float32Array, weight: Float32Array) {
  const sum = new Float64Array(WIDTH * WIDTH).fill(1);
  const rows = new Float64Array(ROWS * WIDTH);
  for (let n = 0; n < ROWS; n++) {
    const x = table.subarray(Number(ids[n]) * WIDTH, (Number(ids[n]) + 1) * WIDTH);
    const y = rows.subarray(n * WIDTH, (n + 1) * WIDTH);
    for (let o = 0; o < WIDTH; o++) for (let i = 0; i < WIDTH; i++) y[o] += x[i] * weight[o * WIDTH + i];
    for (let o = 0; o < WIDTH; o++) for (let i = 0; i < WIDTH; i++) sum[o * WIDTH + i] += y[o] * x[i];
    const exps = y.map(Math.exp);
    const total = exps.reduce((a, b) => a + b, 0);
    for (let o = 0; o < WIDTH; o++) y[o] = exps[o] / total;
  }
  return { sum, rows };
}

/** A run that would take long must stop when its signal says so. */
async function verifyAbort(runtime: OrtRuntime): Promise<void> {
  const g = new Graph("abort");
  const x = g.input("x", [256, 256]);
  let y = x;
  for (let i = 0; i < 2000; i++) y = g.op("Tanh", [g.op("MatMul", [y, x])]);
  g.output(y, "y", [256, 256]);
  const session = await runtime.createSession(g.encode(), { threads: 2 });
  const tensor = () => runtime.tensor("float32", [256, 256], allocateTensorData("float32", 256 * 256));
  const [input, output] = [tensor(), tensor()];
  const controller = new AbortController();
  const run = session.run({ x: input }, { y: output }, { signal: controller.signal });
  setTimeout(() => controller.abort(), 5);
  const outcome = await run.then(
    () => "completed",
    () => "aborted",
  );
  if (outcome !== "aborted") throw new Error("an aborted run completed");
  await session.release();
  input.release();
  output.release();
}

/** Entry of the child process: `node self-test.js <kind>`; exit code 0 means trusted. */
export async function selfTestMain(kind: string): Promise<void> {
  await selfTest(await openRuntimeOfKind(kind === "capi" ? "capi" : "binding"));
}
