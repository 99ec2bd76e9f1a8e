import {
  type Code,
  F32,
  F64,
  f32x4,
  f64,
  f64x2,
  get,
  I32,
  increase,
  loopWhileBelow,
  set,
  V128,
  type WasmFunction,
  wasmModule,
} from "./wasm-code.js";

/** Functions of the compiled module. Arrays are given by their first bytes; loops end where the gradients do. */
export interface UpdateFunctions {
  adamw(gradients: number, end: number, values: number, m: number, v: number, ...scalars: number[]): void;
  /** Scalars: gradScale, weightDecay, lr. */
  sgd(gradients: number, end: number, values: number, ...scalars: number[]): void;
  /** Scalars: gradScale, weightDecay, lr, momentum, and the factors of gradient and momentum in the update. */
  sgdMomentum(gradients: number, end: number, values: number, momentum: number, ...scalars: number[]): void;
  /** Loop over the values. */
  average(values: number, end: number, average: number, share: number): void;
  squareSum(start: number, end: number): number;
}

const { load, store, splat, add, sub, mul, div, sqrt } = f32x4;

/** What the body of a loop over arrays is written with. */
interface LoopNames {
  /** Pointers into the arrays; the first is the one that the loop is bounded by. */
  readonly arrays: readonly number[];
  /** Scalars in all four lanes. */
  readonly scalars: readonly number[];
  readonly temporaries: readonly number[];
}

/** A loop over arrays, four lanes at a time, with scalar parameters. Parameters: first array, its end, other arrays, scalars. */
function loop(
  name: string,
  counts: { readonly arrays: number; readonly scalars: number; readonly temporaries: number },
  body: (names: LoopNames) => Code,
): WasmFunction {
  const numbers = (start: number, count: number) => Array.from({ length: count }, (_, i) => start + i);
  const [first, end] = [0, 1];
  const arrays = [first, ...numbers(2, counts.arrays - 1)];
  const parameters = numbers(counts.arrays + 1, counts.scalars);
  const scalars = numbers(counts.arrays + 1 + counts.scalars, counts.scalars);
  const temporaries = numbers(counts.arrays + 1 + 2 * counts.scalars, counts.temporaries);
  const step = [...body({ arrays, scalars, temporaries }), ...arrays.flatMap((pointer) => increase(pointer, 16))];
  return {
    name,
    parameters: [...numbers(0, counts.arrays + 1).map(() => I32), ...scalars.map(() => F32)],
    results: [],
    locals: [...scalars, ...temporaries].map(() => V128),
    body: [
      ...parameters.flatMap((parameter, i) => set(scalars[i], splat(get(parameter)))),
      ...loopWhileBelow(first, get(end), step),
    ],
  };
}

const adamw = loop("adamw", { arrays: 4, scalars: 9, temporaries: 3 }, ({ arrays, scalars, temporaries }) => {
  const [gradients, values, m, v] = arrays;
  const [gradScale, beta1, keep1, beta2, keep2, decay, stepSize, rootCorrection, eps] = scalars;
  const [g, newM, newV] = temporaries;
  return [
    ...set(g, mul(load(get(gradients)), get(gradScale))),
    ...set(newM, add(mul(load(get(m)), get(beta1)), mul(get(g), get(keep1)))),
    ...store(get(m), get(newM)),
    ...set(newV, add(mul(load(get(v)), get(beta2)), mul(mul(get(g), get(g)), get(keep2)))),
    ...store(get(v), get(newV)),
    ...store(
      get(values),
      sub(
        mul(load(get(values)), get(decay)),
        div(mul(get(newM), get(stepSize)), add(mul(sqrt(get(newV)), get(rootCorrection)), get(eps))),
      ),
    ),
  ];
});

const sgd = loop("sgd", { arrays: 2, scalars: 3, temporaries: 1 }, ({ arrays, scalars, temporaries }) => {
  const [gradients, values] = arrays;
  const [gradScale, weightDecay, lr] = scalars;
  const [x] = temporaries;
  const d = add(mul(load(get(gradients)), get(gradScale)), mul(get(x), get(weightDecay)));
  return [...set(x, load(get(values))), ...store(get(values), sub(get(x), mul(d, get(lr))))];
});

const sgdMomentum = loop(
  "sgdMomentum",
  { arrays: 3, scalars: 6, temporaries: 3 },
  ({ arrays, scalars, temporaries }) => {
    const [gradients, values, m] = arrays;
    const [gradScale, weightDecay, lr, momentum, ofGradient, ofMomentum] = scalars;
    const [x, d, newM] = temporaries;
    const update = add(mul(get(d), get(ofGradient)), mul(get(newM), get(ofMomentum)));
    return [
      ...set(x, load(get(values))),
      ...set(d, add(mul(load(get(gradients)), get(gradScale)), mul(get(x), get(weightDecay)))),
      ...set(newM, add(mul(load(get(m)), get(momentum)), get(d))),
      ...store(get(m), get(newM)),
      ...store(get(values), sub(get(x), mul(update, get(lr)))),
    ];
  },
);

const average = loop("average", { arrays: 2, scalars: 1, temporaries: 1 }, ({ arrays, scalars, temporaries }) => {
  const [values, mean] = arrays;
  const [share] = scalars;
  const [x] = temporaries;
  const moved = add(get(x), mul(sub(load(get(values)), get(x)), get(share)));
  return [...set(x, load(get(mean))), ...store(get(mean), moved)];
});

function squareSum(): WasmFunction {
  const [pointer, end, sumA, sumB, a, b] = [0, 1, 2, 3, 4, 5];
  const { loadPromoted, add, mul, lane } = f64x2;
  const step = [
    ...set(a, loadPromoted(get(pointer), 0)),
    ...set(b, loadPromoted(get(pointer), 8)),
    ...set(sumA, add(get(sumA), mul(get(a), get(a)))),
    ...set(sumB, add(get(sumB), mul(get(b), get(b)))),
    ...increase(pointer, 16),
  ];
  const total = add(get(sumA), get(sumB));
  return {
    name: "squareSum",
    parameters: [I32, I32],
    results: [F64],
    locals: Array<number>(4).fill(V128),
    body: [...loopWhileBelow(pointer, get(end), step), ...f64.add(lane(total, 0), lane(total, 1))],
  };
}

/** Imports its memory as `env.memory`. */
export const UPDATE_MODULE = wasmModule([adamw, sgd, sgdMomentum, average, squareSum()]);
