import * as C from "./complex.js";
import type { Expression } from "./expression.js";
import { toNumber } from "./rational.js";
import type { Steps } from "./steps.js";

/** Values of variables, by name. */
export type Sample = (variable: string) => number;

/** The value of an expression in doubles; NaN where it has none. */
export function evaluate(e: Expression, at: Sample, steps: Steps): C.Complex {
  steps.spend();
  const of = (part: Expression) => evaluate(part, at, steps);
  switch (e.type) {
    case "number":
      return C.complex(toNumber(e.value));
    case "symbol":
      return constantNamed(e.name) ?? C.complex(at(e.name));
    case "negate":
      return C.minus(C.complex(0), of(e.of));
    case "add":
      return e.terms.map(of).reduce(C.plus);
    case "multiply":
      return e.factors.map(of).reduce(C.times);
    case "divide":
      return C.over(of(e.over), of(e.under));
    case "power":
      return C.pow(of(e.base), of(e.exponent));
    case "root":
      return root(of(e.of), of(e.degree));
    case "call":
      return call(e.name, e.args.map(of));
  }
}

function constantNamed(name: string): C.Complex | null {
  if (name === "π") return C.complex(Math.PI);
  if (name === "e") return C.complex(Math.E);
  if (name === "i") return C.complex(0, 1);
  return name === "∞" ? C.complex(Number.POSITIVE_INFINITY) : null;
}

/** Odd roots of negative numbers are real, as in school. */
function root(of: C.Complex, degree: C.Complex): C.Complex {
  const odd = degree.im === 0 && Math.abs(degree.re % 2) === 1;
  if (odd && of.im === 0 && of.re < 0) return C.complex(-((-of.re) ** (1 / degree.re)));
  return C.pow(of, C.over(C.complex(1), degree));
}

const REAL: Readonly<Record<string, (x: number) => number>> = {
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  cot: (x) => 1 / Math.tan(x),
  sec: (x) => 1 / Math.cos(x),
  csc: (x) => 1 / Math.sin(x),
  arcsin: Math.asin,
  arccos: Math.acos,
  arctan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  floor: Math.floor,
  ceiling: Math.ceil,
  degrees: (x) => (x * Math.PI) / 180,
  factorial: (x) => factorial(x),
};

function call(name: string, args: readonly C.Complex[]): C.Complex {
  const [x, base] = args;
  if (name === "abs") return C.complex(C.size(x));
  if (name === "exp") return C.exp(x);
  if (name === "ln" || name === "log" || name === "lg") {
    const natural = C.log(x);
    if (base) return C.over(natural, C.log(base));
    return name === "ln" ? natural : C.over(natural, C.complex(Math.LN10));
  }
  const real = Object.hasOwn(REAL, name) && args.every(({ im }) => im === 0) ? REAL[name] : null;
  return C.complex(real ? real(x.re) : Number.NaN);
}

function factorial(x: number): number {
  if (!Number.isInteger(x) || x < 0 || x > 170) return Number.NaN;
  let result = 1;
  for (let i = 2; i <= x; i++) result *= i;
  return result;
}
