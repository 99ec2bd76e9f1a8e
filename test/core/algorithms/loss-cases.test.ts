import { readdirSync } from "node:fs";
import { expect } from "chai";
import {
  type AnyLoss,
  type LossAlgebra,
  type LossInput,
  type OutputName,
  outputExtent,
  type Value,
} from "../../../core/algorithms/algebra.js";
import { builtinPolicyLosses, evaluateLoss } from "../../../core/algorithms/index.js";
import { differentiate } from "../../../core/algorithms/tape.js";
import { Tape } from "../../../core/algorithms/tape-algebra.js";
import { ALL_LOSSES, anyLossInput, LOSS_CASES, SHARED_FILES } from "./loss-cases.js";

const input = anyLossInput();
const label = (loss: AnyLoss) => (loss.kind === "algebra" ? loss.key : loss.name);

/**
 * The tape with everything that a loss stops the gradient of frozen at its values of the first run. What is left moves
 * exactly with the gradient, so that also straight-through losses can be checked by differences.
 */
function frozenTape(at: LossInput, memory: Float64Array[]): { g: LossAlgebra; tape: Tape } {
  const tape = new Tape(at);
  const replay = memory.length > 0;
  let count = 0;
  const stopGradient = (a: Value): Value => {
    const copy = tape.add(Tape.prototype.stopGradient.call(tape, a), tape.constant(0)) as Value & {
      data: Float64Array;
    };
    if (replay) copy.data.set(memory[count++]);
    else memory.push(copy.data.slice());
    return copy;
  };
  Object.defineProperty(tape, "stopGradient", { value: stopGradient });
  return { g: tape, tape };
}

/** The loss with one number of one output moved by `delta`, and constants of the point at which `memory` was filled. */
function lossAt(loss: AnyLoss, memory: Float64Array[], moved?: { name: OutputName; r: number; delta: number }): number {
  const outputs = { ...input.outputs };
  if (moved) {
    const data = Float64Array.from(outputs[moved.name] ?? []);
    data[moved.r] += moved.delta;
    outputs[moved.name] = data;
  }
  const at = { ...input, outputs };
  if (loss.kind === "opaque") return loss.compute(at).loss;
  const { g, tape } = frozenTape(at, memory);
  return tape.scalar(loss.build(g).loss, "loss");
}

function poisoned(): LossInput {
  const bad = (data: ArrayLike<number> = []) => Array.from(data, (x, r) => (input.responseMask[r] ? x : Number.NaN));
  const outputs = Object.fromEntries(
    Object.entries(input.outputs).map(([name, data]) => [
      name,
      outputExtent(name as OutputName) === "token" ? bad(data) : data,
    ]),
  );
  const columns = [...input.columns].map(
    ([name, column]) => [name, column.extent === "token" ? { ...column, data: bad(column.data) } : column] as const,
  );
  return { ...input, outputs, columns: new Map(columns) };
}

/** The batch so many times over, under the same global counts. */
function repeated(once: LossInput, times: number): LossInput {
  const many = (data: ArrayLike<number> = []) => Array.from({ length: times }, () => Array.from(data)).flat();
  const lengths = many(Array.from(once.responseOffsets.subarray(1), (end, b) => end - once.responseOffsets[b]));
  const responseOffsets = new Int32Array(lengths.length + 1);
  lengths.forEach((length, b) => {
    responseOffsets[b + 1] = responseOffsets[b] + length;
  });
  return {
    outputs: Object.fromEntries(Object.entries(once.outputs).map(([name, data]) => [name, many(data)])),
    columns: new Map([...once.columns].map(([name, column]) => [name, { ...column, data: many(column.data) }])),
    responseMask: many(once.responseMask),
    responseOffsets,
    counts: once.counts,
  };
}

describe("all losses", () => {
  it("have cases: every file of losses, and every registered policy loss", () => {
    const files = readdirSync(new URL("../../../core/algorithms/losses/", import.meta.url))
      .filter((name) => name.endsWith(".js"))
      .map((name) => name.slice(0, -3));
    expect(Object.keys(LOSS_CASES)).to.have.members(files.filter((name) => !SHARED_FILES.includes(name)));
    const names = ALL_LOSSES.map((loss) => loss.name);
    expect(names).to.include.members(builtinPolicyLosses.map((loss) => loss.name));
  });

  for (const [file, losses] of Object.entries(LOSS_CASES)) {
    it(`${file}: the gradient is that of the value, constants held`, () => {
      for (const loss of losses) {
        const memory: Float64Array[] = [];
        lossAt(loss, memory);
        const { gradients } = evaluateLoss(loss, input);
        for (const name of loss.outputs) {
          for (let r = 0; r < (input.outputs[name]?.length ?? 0); r++) {
            const delta = 1e-5;
            const difference =
              lossAt(loss, memory, { name, r, delta }) - lossAt(loss, memory, { name, r, delta: -delta });
            const expected = difference / (2 * delta);
            const given = gradients[name]?.[r] ?? 0;
            expect(given, `${label(loss)} ∂/∂${name}[${r}]`).to.be.closeTo(expected, 1e-6 * (1 + Math.abs(expected)));
          }
        }
      }
    });

    it(`${file}: what stands under the mask, NaN included, changes nothing`, () => {
      for (const loss of losses) {
        const [clean, dirty] = [input, poisoned()].map((at) => evaluateLoss(loss, at));
        expect(dirty.loss, label(loss)).to.equal(clean.loss);
        expect(dirty.gradients, label(loss)).to.deep.equal(clean.gradients);
        expect(dirty.metrics, label(loss)).to.deep.equal(clean.metrics);
      }
    });
  }

  it("are the same taken in blocks of rows as in one piece", () => {
    const large = repeated(input, 260);
    const worst = (a: ArrayLike<number> = [], b: ArrayLike<number> = []) =>
      Array.from(b).reduce((found, x, r) => Math.max(found, Math.abs(a[r] - x) / (1 + Math.abs(x))), 0);
    for (const loss of ["vanilla", "geo-mean", "dpo", "distillation", "reward-model"].map(
      (file) => LOSS_CASES[file][0],
    )) {
      if (loss.kind === "opaque") continue;
      const [blocks, whole] = [loss, { build: loss.build }].map((one) => differentiate(one, large));
      expect(worst([blocks.loss], [whole.loss]), loss.key).to.be.below(1e-9);
      for (const [name, { value, reduction, weight }] of Object.entries(whole.metrics)) {
        expect(blocks.metrics[name]).to.include({ reduction, weight });
        expect(worst([blocks.metrics[name].value], [value]), name).to.be.below(1e-9);
      }
      for (const name of loss.outputs) {
        expect(worst(blocks.gradients[name], whole.gradients[name]), name).to.be.below(1e-9);
      }
    }
  });

  it("have keys that tell their settings apart", () => {
    const algebra = ALL_LOSSES.flatMap((loss) => (loss.kind === "algebra" ? [loss] : []));
    const built = new Map<string, number>();
    for (const loss of algebra) {
      const { loss: value } = evaluateLoss(loss, input);
      expect(built.get(loss.key) ?? value, loss.key).to.equal(value);
      built.set(loss.key, value);
    }
  });
});
