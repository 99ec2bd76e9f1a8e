import { divide, fromDecimal, multiply, ONE, power, type Rational, rational } from "./rational.js";

/** A measure: how many of the dimension's base units it holds, and the powers of the dimensions. */
export interface Unit {
  readonly factor: Rational;
  /** Sorted, e.g. `length^1 time^-1`. */
  readonly dimension: string;
}

const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  length: {
    "mm millimeter millimetre": "0.001",
    "cm centimeter centimetre": "0.01",
    "dm decimeter decimetre": "0.1",
    "m meter metre": "1",
    "km kilometer kilometre": "1000",
    "in inch inches": "0.0254",
    "ft foot feet": "0.3048",
    "yd yard": "0.9144",
    "mi mile": "1609.344",
  },
  mass: {
    "mg milligram": "0.000001",
    "g gm gram": "0.001",
    "kg kilogram": "1",
    "lb pound": "0.45359237",
    "oz ounce": "0.028349523125",
  },
  time: {
    "ms millisecond": "0.001",
    "s sec second": "1",
    "min minute": "60",
    "h hr hour": "3600",
    day: "86400",
    week: "604800",
  },
  volume: { "ml milliliter millilitre": "0.001", "l liter litre": "1" },
  money: { "¢ cent": "0.01", "$ dollar": "1" },
  euro: { "€ euro": "1" },
  sterling: { "£": "1" },
  angle: { "rad radian": "1" },
};

const UNITS: ReadonlyMap<string, Unit> = new Map(
  Object.entries(TABLE).flatMap(([dimension, units]) =>
    Object.entries(units).flatMap(([names, factor]) =>
      names.split(" ").map((name) => [name, { factor: fromDecimal(factor), dimension: `${dimension}^1` }] as const),
    ),
  ),
);

const KNOWN_SHORT: ReadonlySet<string> = new Set([...UNITS.keys(), "mph", "sq", "cu", "pct"]);

/** Short names that stand for a unit after a number, although they could be a product of variables. */
export const isUnitName = (name: string): boolean => name.length > 1 && KNOWN_SHORT.has(name);

/**
 * The unit that words stand for: `cm ^2`, `square inches`, `m / s`, `miles per hour`. Null when one of them is no unit, as
 * in `4 apples`: a description, not a measure.
 */
export function readUnit(words: readonly string[]): Unit | null {
  let unit: Unit = { factor: ONE, dimension: "" };
  let [sign, prefix] = [1, 1];
  for (let i = 0; i < words.length; i++) {
    const word = words[i].toLowerCase();
    if (word === "per" || word === "/") sign = -1;
    else if (word === "square" || word === "sq") prefix = 2;
    else if (word === "cubic" || word === "cu") prefix = 3;
    else {
      const found = find(word);
      if (!found) return null;
      const suffix = /^\^(\d)$/.exec(words[i + 1] ?? "")?.[1];
      if (suffix !== undefined) i++;
      unit = combine(unit, found, sign * prefix * Number(suffix ?? 1));
      [sign, prefix] = [1, 1];
    }
  }
  return unit.dimension === "" ? null : unit;
}

function find(word: string): Unit | null {
  if (word === "mph") return { factor: rational(1609344n, 3600000n), dimension: "length^1 time^-1" };
  return UNITS.get(word) ?? UNITS.get(word.replace(/s$/, "")) ?? null;
}

function combine(a: Unit, b: Unit, exponent: number): Unit {
  const powers = new Map<string, number>();
  const raise = (dimension: string, by: number) => {
    for (const part of dimension.split(" ").filter(Boolean)) {
      const [name, power] = part.split("^");
      powers.set(name, (powers.get(name) ?? 0) + by * Number(power));
    }
  };
  raise(a.dimension, 1);
  raise(b.dimension, exponent);
  const dimension = [...powers].filter(([, p]) => p !== 0).map(([name, p]) => `${name}^${p}`);
  return { factor: multiply(a.factor, power(b.factor, exponent)), dimension: dimension.sort().join(" ") };
}

/** How many of `to` one `from` is, or null when they measure different things. */
export function conversion(from: Unit, to: Unit): Rational | null {
  return from.dimension === to.dimension ? divide(from.factor, to.factor) : null;
}
