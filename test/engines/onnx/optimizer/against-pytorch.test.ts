import { readFileSync } from "node:fs";
import { expect } from "chai";
import type { ParameterSpec } from "../../../../core/formats/index.js";
import type { OptimizerConfig } from "../../../../core/plugin.js";
import { ParameterStore } from "../../../../engines/onnx/backend/parameter-store.js";
import { SessionCache } from "../../../../engines/onnx/backend/session-cache.js";
import { Optimizer } from "../../../../engines/onnx/optimizer/optimizer.js";
import { AVERAGE, parameterGroups } from "../../../../engines/onnx/optimizer/parameter-groups.js";
import { optimizerRules } from "../../../../engines/onnx/optimizer/rules.js";
import { openOrtRuntime } from "../../../../engines/onnx/runtime/index.js";
import { optimizer as complete } from "../backend/fixtures.js";
import { floats, relativeError } from "../families/peer-cases.js";
import { uniformFrom } from "../families/peer-weights.js";

/** Made by `test/peers/optimizers.py`. */
interface PeerUpdates {
  readonly steps: number;
  readonly parameters: readonly ParameterSpec[];
  readonly cases: readonly {
    readonly name: string;
    readonly config: Partial<OptimizerConfig>;
    /** float32 as base64, all parameters in order, after the last update. */
    readonly values: string;
    readonly average?: string;
    readonly published?: string;
  }[];
}

const { steps, parameters, cases }: PeerUpdates = JSON.parse(readFileSync("test/fixtures/optimizers.json", "utf8"));

describe("engines/onnx/optimizer against PyTorch", () => {
  for (const { name, config: changes, values, average, published } of cases) {
    it(`updates every kind of parameter: ${name}`, async () => {
      const config = { ...complete, ...changes };
      const { store, optimizer, sessions } = await trained(config);
      const start = flat(store, (p) => store.values(p));
      for (let step = 0; step < steps; step++) {
        for (const parameter of store.parameters) fill(store.gradients(parameter), `${parameter.name}/${step}`);
        await optimizer.update({ lr: config.lr * (step + 1), gradScale: 1, optimizer: config });
      }
      const found = flat(store, (p) => store.values(p));
      expect(relativeError(found, floats(values)), "values").to.be.below(1e-6);
      if (average) {
        const means = flat(store, (p) => store.state(AVERAGE, p) as Float32Array);
        expect(relativeError(means, floats(average)), "average").to.be.below(1e-6);
      }
      // With iterations in bfloat16, as published: the same to its precision.
      const moved = (to: Float32Array) => to.map((x, i) => x - start[i]);
      if (published) expect(relativeError(moved(found), moved(floats(published))), "published").to.be.below(0.02);
      await sessions.dispose();
      store.dispose();
    });
  }

  it("scales gradients before anything else", async () => {
    for (const { config: changes } of cases) {
      const config = { ...complete, ...changes };
      const [scaled, plain] = [await trained(config), await trained(config)];
      for (const { store, optimizer, gradScale } of [
        { ...scaled, gradScale: 0.25 },
        { ...plain, gradScale: 1 },
      ]) {
        for (const parameter of store.parameters) {
          const gradient = store.gradients(parameter);
          fill(gradient, parameter.name);
          if (gradScale === 1) for (let i = 0; i < gradient.length; i++) gradient[i] *= 0.25;
        }
        await optimizer.update({ lr: config.lr, gradScale, optimizer: config });
      }
      const valuesOf = ({ store }: typeof scaled) => flat(store, (p) => store.values(p));
      expect(valuesOf(scaled)).to.deep.equal(valuesOf(plain));
    }
  });
});

async function trained(config: OptimizerConfig) {
  const runtime = await openOrtRuntime();
  const sessions = new SessionCache(runtime, { threads: 1 });
  const groupOf = parameterGroups(config, optimizerRules(config, { runtime, compile: sessions.compile }));
  const store = new ParameterStore(
    runtime,
    parameters.map((spec) => ({ ...spec, group: groupOf(spec) })),
  );
  for (const parameter of store.parameters) fill(store.values(parameter), parameter.name);
  const optimizer = new Optimizer(config.name, store.trained);
  optimizer.restartAverage();
  return { store, optimizer, sessions };
}

function fill(array: Float32Array, name: string): void {
  const uniform = uniformFrom(name);
  for (let i = 0; i < array.length; i++) array[i] = uniform(i);
}

function flat(store: ParameterStore, viewOf: (parameter: ParameterStore["parameters"][number]) => Float32Array) {
  return Float32Array.from(store.parameters.flatMap((parameter) => [...viewOf(parameter)]));
}
