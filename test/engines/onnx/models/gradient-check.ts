import { expect } from "chai";
import { Autodiff, Graph, type Ref } from "../../../../engines/onnx/ir/index.js";
import { allocateTensorData, openOrtRuntime } from "../../../../engines/onnx/runtime/index.js";

export type Arrays = Readonly<Record<string, Float64Array>>;

export interface GradientCheck<Name extends string> {
  /** Shapes of the inputs; all are differentiated. */
  readonly inputs: Readonly<Record<Name, readonly number[]>>;
  /** Inputs whose gradient is added to a given sum, as parameters' are. */
  readonly accumulated?: readonly NoInfer<Name>[];
  /** Shape of the result. */
  readonly output: readonly number[];
  build(ad: Autodiff, inputs: Readonly<Record<Name, Ref>>): Ref;
  /** The same by plain loops in float64. */
  reference(inputs: Readonly<Record<Name, Float64Array>>): ArrayLike<number>;
}

const size = (shape: readonly number[]) => shape.reduce((n, d) => n * d, 1);
/** Values in (−1.6, 1.6), none of them close to 0. */
const wave = (i: number, phase: number) =>
  1.6 * Math.sin(0.9 * i + phase) + (Math.sin(0.9 * i + phase) < 0 ? -0.05 : 0.05);

/** Compares an operator with a reference, and its gradients with central differences of that reference. */
export async function checkGradients<Name extends string>(check: GradientCheck<Name>): Promise<void> {
  const names = Object.keys(check.inputs) as Name[];
  const shapes = check.inputs;
  const values = Object.fromEntries(
    names.map((name, k) => [
      name,
      Float64Array.from({ length: size(shapes[name]) }, (_, i) => Math.fround(wave(i, 1 + 2 * k))),
    ]),
  ) as Record<Name, Float64Array>;
  const factors = Float64Array.from({ length: size(check.output) }, (_, i) => Math.fround(Math.cos(1.3 * i)));
  const start = (name: Name) => (check.accumulated?.includes(name) ? 10 : 0);

  const g = new Graph("check");
  const ad = new Autodiff(g);
  const refs = Object.fromEntries(names.map((name) => [name, g.input(name, shapes[name])])) as Record<Name, Ref>;
  const y = check.build(ad, refs);
  const sums = new Map(check.accumulated?.map((name) => [refs[name], g.input(`sum:${name}`, shapes[name])]));
  const seeds = new Map([[y, g.input("factors", check.output)]]);
  const gradients = ad.backward(
    seeds,
    names.map((name) => refs[name]),
    sums,
  );
  g.output(y, "y", check.output);
  for (const name of names) g.output(gradients.get(refs[name]) as Ref, `d:${name}`, shapes[name]);

  const runtime = await openOrtRuntime();
  const tensor = (shape: readonly number[], from?: ArrayLike<number>) => {
    const data = allocateTensorData("float32", size(shape));
    if (from) data.set(from);
    return runtime.tensor("float32", shape, data);
  };
  const feeds: Record<string, ReturnType<typeof tensor>> = { factors: tensor(check.output, factors) };
  for (const name of names) feeds[name] = tensor(shapes[name], values[name]);
  for (const name of check.accumulated ?? []) {
    feeds[`sum:${name}`] = tensor(shapes[name], new Float64Array(size(shapes[name])).fill(start(name)));
  }
  const fetches = {
    y: tensor(check.output),
    ...Object.fromEntries(names.map((name) => [`d:${name}`, tensor(shapes[name])])),
  };
  const session = await runtime.createSession(g.encode(), { threads: 1 });
  await session.run(feeds, fetches);
  await session.release();

  expectClose(fetches.y.data, check.reference(values), 2e-6, "result");
  const loss = () => {
    const result = check.reference(values);
    return factors.reduce((sum, factor, i) => sum + factor * result[i], 0);
  };
  for (const name of names) {
    const h = 1e-5;
    const differences = values[name].map((x, i) => {
      values[name][i] = x + h;
      const above = loss();
      values[name][i] = x - h;
      const below = loss();
      values[name][i] = x;
      return (above - below) / (2 * h) + start(name);
    });
    expectClose((fetches as Record<string, { data: Float32Array }>)[`d:${name}`].data, differences, 1e-5, `∂/∂${name}`);
  }
}

/** Within `tolerance` of the largest expected value. */
function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number, what: string): void {
  expect(actual.length, what).to.equal(expected.length);
  const largest = Array.from(expected).reduce((a, b) => Math.max(a, Math.abs(b)), 1e-3);
  for (let i = 0; i < expected.length; i++) {
    expect(actual[i], `${what}[${i}]`).to.be.closeTo(expected[i], tolerance * largest);
  }
}
