import { expect } from "chai";
import fc from "fast-check";
import type { LossAlgebra, LossInput, Value } from "../../../core/algorithms/algebra.js";
import { differentiate, evaluateLoss } from "../../../core/algorithms/tape.js";

const counts = { batchNumTokens: 5, globalBatchSize: 2, lossScaleFactor: 3, dpSize: 1 };

function inputOf(logProb: number[], mask = logProb.map(() => 1), columns: Record<string, number[]> = {}): LossInput {
  return {
    outputs: { logProb: Float64Array.from(logProb), entropy: Float64Array.from(logProb, (x) => x * x + 0.1) },
    columns: new Map(
      Object.entries(columns).map(([name, data]) => [
        name,
        { extent: data.length === logProb.length ? ("token" as const) : ("sequence" as const), data },
      ]),
    ),
    responseMask: mask,
    responseOffsets: Int32Array.of(0, 2, logProb.length),
    counts,
  };
}

const run = (input: LossInput, build: (g: LossAlgebra) => Value) =>
  differentiate({ build: (g) => ({ loss: build(g), metrics: {} }) }, input);

describe("the eager tape", () => {
  it("sums over sequences and broadcasts back", () => {
    const { loss, gradients } = run(inputOf([1, 2, 3, 4, 5]), (g) => {
      const x = g.output("logProb");
      return g.sum(g.mul(x, g.sumTokens(x)));
    });
    expect(loss).to.equal(3 * 3 + 12 * 12);
    expect([...gradients.logProb!]).to.deep.equal([6, 6, 24, 24, 24]);
  });

  it("lets neither value nor gradient of a branch that is not taken through, NaN included", () => {
    const input = inputOf([1, Number.NaN, -1, 2, Number.POSITIVE_INFINITY], [1, 0, 1, 1, 0]);
    const { loss, gradients } = run(input, (g) => {
      const x = g.output("logProb");
      return g.sum(g.where(g.mask(), g.sqrt(g.exp(g.mul(x, x))), g.constant(0)));
    });
    expect(loss).to.be.closeTo(2 * Math.exp(0.5) + Math.exp(2), 1e-12);
    expect(gradients.logProb![1]).to.equal(0);
    expect(gradients.logProb![4]).to.equal(0);
    expect(gradients.logProb![3]).to.be.closeTo(2 * Math.exp(2), 1e-12);
  });

  it("stops gradients where it is told to", () => {
    const { gradients } = run(inputOf([1, 2, 3, 4, 5]), (g) => {
      const x = g.output("logProb");
      return g.sum(g.mul(x, g.stopGradient(x)));
    });
    expect([...gradients.logProb!]).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it("gives gradients of 0 for outputs that were read and do not matter", () => {
    const { gradients } = run(inputOf([1, 2, 3, 4, 5]), (g) => {
      g.output("entropy");
      return g.sum(g.output("logProb"));
    });
    expect([...gradients.entropy!]).to.deep.equal([0, 0, 0, 0, 0]);
  });

  it("lets the lower bound win when a clamp's bounds cross", () => {
    const { loss } = run(inputOf([5, 5, 5, 5, 5]), (g) => g.sum(g.clamp(g.output("logProb"), 3, 1)));
    expect(loss).to.equal(15);
  });

  it("sends the gradient of a tie to the first argument", () => {
    const { gradients } = run(inputOf([1, 2, 3, 4, 5], undefined, { c: [1, 9, 1, 9, 1] }), (g) =>
      g.sum(g.add(g.minimum(g.output("logProb"), g.column("c")), g.maximum(g.column("c"), g.output("logProb")))),
    );
    expect([...gradients.logProb!]).to.deep.equal([1, 1, 1, 1, 1]);
  });

  it("weighs metrics by the tokens that count and rounds gradients to float32 only at the end", () => {
    const result = evaluateLoss(
      {
        kind: "algebra",
        name: "t",
        scope: "token",
        outputs: ["logProb"],
        columns: [],
        key: "t",
        build: (g) => {
          const loss = g.sum(g.mul(g.output("logProb"), g.constant(0.1)));
          return { loss, metrics: { m: { value: loss, reduction: "mean" } } };
        },
      },
      inputOf([1, 2, 3, 4, 5], [1, 0, 1, 0, 1]),
    );
    expect(result.metrics.m.weight).to.equal(3);
    expect(result.gradients.logProb![0]).to.equal(Math.fround(0.1));
  });

  it("names a column that is missing, and refuses a loss that is not a scalar", () => {
    expect(() => run(inputOf([1, 2, 3]), (g) => g.sum(g.column("advantages")))).to.throw(/"advantages"/);
    expect(() => run(inputOf([1, 2, 3]), (g) => g.output("logProb"))).to.throw(/VERL_ALGORITHMS_SHAPE/);
    expect(() => run(inputOf([1, 2, 3], [1, 1]), (g) => g.sum(g.mask()))).to.throw(/responseMask/);
  });

  it("agrees with central differences on random smooth expressions", () => {
    const leafs = ["x", "h", "c", "s", "k"] as const;
    type Expr = { op: string; args: Expr[] };
    const { expr } = fc.letrec<{ expr: Expr }>((tie) => ({
      expr: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.constantFrom(...leafs).map((op): Expr => ({ op, args: [] })),
        fc
          .tuple(fc.constantFrom("exp", "log", "sqrt", "square", "sigmoid", "softplus", "neg", "rows"), tie("expr"))
          .map(([op, a]): Expr => ({ op, args: [a] })),
        fc
          .tuple(fc.constantFrom("add", "sub", "mul", "div", "pick"), tie("expr"), tie("expr"))
          .map(([op, a, b]): Expr => ({ op, args: [a, b] })),
      ),
    }));
    const build = (g: LossAlgebra, { op, args }: Expr): Value => {
      const [a, b] = args.map((e) => build(g, e));
      const one = g.constant(1);
      const positive = (v: Value) => g.add(g.square(v), one);
      switch (op) {
        case "x":
          return g.output("logProb");
        case "h":
          return g.output("entropy");
        case "c":
          return g.column("c");
        case "s":
          return g.column("s");
        case "k":
          return g.constant(0.7);
        case "exp":
          return g.exp(g.neg(positive(a)));
        case "log":
          return g.log(positive(a));
        case "sqrt":
          return g.sqrt(positive(a));
        case "div":
          return g.div(a, positive(b));
        case "pick":
          return g.where(g.column("s"), a, b);
        case "rows":
          return a.extent === "token" ? g.sumTokens(a) : g.sum(a);
        case "square":
        case "sigmoid":
        case "softplus":
        case "neg":
          return g[op](a);
        default:
          return g[op as "add" | "sub" | "mul"](a, b);
      }
    };
    const numbers = fc.array(fc.double({ min: -1.5, max: 1.5, noNaN: true }), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(expr, numbers, numbers, (e, x, c) => {
        const at = (xs: number[]) => run(inputOf(xs, undefined, { c, s: [1, 0] }), (g) => g.sum(build(g, e)));
        // entropy is held fixed by inputOf's dependence on x, so compare the total derivative
        const { gradients, loss } = at(x);
        fc.pre(Math.abs(loss) < 1e6);
        for (let i = 0; i < x.length; i++) {
          const h = 1e-5;
          const move = (d: number) => x.map((v, j) => (i === j ? v + d : v));
          const numeric = (at(move(h)).loss - at(move(-h)).loss) / (2 * h);
          const tape = (gradients.logProb?.[i] ?? 0) + (gradients.entropy?.[i] ?? 0) * 2 * x[i];
          expect(Math.abs(tape - numeric)).to.be.at.most(1e-4 * (1 + Math.abs(numeric)));
        }
      }),
      { numRuns: 100, seed: 7 },
    );
  });
});
