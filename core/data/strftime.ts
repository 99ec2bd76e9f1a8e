const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const DAY_MS = 86_400_000;
const MAX_WIDTH = 1000;

/** Flags, width, modifier and conversion, as glibc reads them. */
const DIRECTIVE = /%([-_0^#]*)(\d*)([EO]?)(.?)/gsu;

/**
 * Python's `strftime` in local time with English names, on glibc: with its flags (`%-d`, `%_H`, `%^b`), widths and modifiers. A
 * directive that is not known is printed as it stands. The time has no zone.
 */
export function strftime(date: Date, format: string): string {
  // Python answers these itself, before the C library sees flags.
  const prepared = format.replace(/%(%|f|z|Z)/g, (text, directive: string) => {
    if (directive === "%") return text;
    return directive === "f" ? pad(date.getMilliseconds() * 1000, 6) : "";
  });
  return prepared.replace(DIRECTIVE, (text, flags: string, width: string, modifier: string, name: string) => {
    const options: Options = {
      fill: [...flags].filter((flag) => "-_0".includes(flag)).at(-1) ?? "",
      upper: flags.includes("^"),
      change: flags.includes("#"),
      width: Math.min(Number(width), MAX_WIDTH),
    };
    if (name === "z") return "";
    const print = REFUSED[modifier]?.includes(name) ? undefined : CONVERSIONS[name];
    return filled(print ? print(date, options) : cased(text, options), options);
  });
}

/** What the modifiers cannot stand before; elsewhere they mean nothing in English. */
const REFUSED: Readonly<Record<string, string>> = { E: "aAbBdDeFgGhHIjklmMSUVwW", O: "aAcDFxXY" };

interface Options {
  /** The last of `-`, `_` and `0` that was given. */
  readonly fill: string;
  readonly upper: boolean;
  readonly change: boolean;
  readonly width: number;
}

type Conversion = (date: Date, options: Options) => string;

const pad = (value: number, width: number, fill = "0"): string => String(value).padStart(width, fill);

function filled(text: string, { width, fill }: Options): string {
  return text.padStart(width, fill === "0" ? "0" : " ");
}

function cased(text: string, { upper }: Options): string {
  return upper ? text.toUpperCase() : text;
}

/** A number of at least so many digits. */
function number(digits: number, value: (date: Date) => number, usual = "0"): Conversion {
  return (date, { fill, width }) => {
    if (fill === "-") return String(value(date));
    return pad(value(date), Math.max(digits, width), fill === "_" ? " " : fill || usual);
  };
}

/** A name; `#` makes it upper case. */
function name(value: (date: Date) => string): Conversion {
  return (date, { upper, change }) => (upper || change ? value(date).toUpperCase() : value(date));
}

/** Morning or afternoon; `#` makes it lower case. */
const half: Conversion = (date, { change }) => {
  const text = date.getHours() < 12 ? "AM" : "PM";
  return change ? text.toLowerCase() : text;
};

/** What other directives make up. */
function composed(format: string): Conversion {
  return (date, options) => cased(strftime(date, format), options);
}

function constant(text: string): Conversion {
  return () => text;
}

const hour12 = (date: Date): number => date.getHours() % 12 || 12;

/** Days since 1 January, by calendar date, so that daylight saving does not matter. */
function dayOfYear(date: Date): number {
  const midnight = Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return Math.round((midnight - Date.UTC(date.getFullYear(), 0, 1)) / DAY_MS);
}

/** Week of the year, counted from its first `weekday` (0 = Sunday). */
function week(date: Date, weekday: number): number {
  return Math.floor((dayOfYear(date) + 7 - ((date.getDay() - weekday + 7) % 7)) / 7);
}

/** ISO 8601 year and week: the week belongs to the year that holds its Thursday. */
function isoWeek(date: Date): { year: number; week: number } {
  const thursday = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 4 - (date.getDay() || 7));
  return { year: thursday.getFullYear(), week: Math.floor(dayOfYear(thursday) / 7) + 1 };
}

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  a: name((d) => DAYS[d.getDay()].slice(0, 3)),
  A: name((d) => DAYS[d.getDay()]),
  b: name((d) => MONTHS[d.getMonth()].slice(0, 3)),
  B: name((d) => MONTHS[d.getMonth()]),
  c: composed("%a %b %e %H:%M:%S %Y"),
  C: number(1, (d) => Math.floor(d.getFullYear() / 100)),
  d: number(2, (d) => d.getDate()),
  D: composed("%m/%d/%y"),
  e: number(2, (d) => d.getDate(), " "),
  F: composed("%Y-%m-%d"),
  G: number(1, (d) => isoWeek(d).year),
  g: number(2, (d) => isoWeek(d).year % 100),
  h: name((d) => MONTHS[d.getMonth()].slice(0, 3)),
  H: number(2, (d) => d.getHours()),
  I: number(2, hour12),
  j: number(3, (d) => dayOfYear(d) + 1),
  k: number(2, (d) => d.getHours(), " "),
  l: number(2, hour12, " "),
  m: number(2, (d) => d.getMonth() + 1),
  M: number(2, (d) => d.getMinutes()),
  n: constant("\n"),
  p: half,
  P: (date, options) => half(date, { ...options, change: true }),
  r: composed("%I:%M:%S %p"),
  R: composed("%H:%M"),
  s: number(1, (d) => Math.floor(d.getTime() / 1000)),
  S: number(2, (d) => d.getSeconds()),
  t: constant("\t"),
  T: composed("%H:%M:%S"),
  u: number(1, (d) => d.getDay() || 7),
  U: number(2, (d) => week(d, 0)),
  V: number(2, (d) => isoWeek(d).week),
  w: number(1, (d) => d.getDay()),
  W: number(2, (d) => week(d, 1)),
  x: composed("%m/%d/%y"),
  X: composed("%H:%M:%S"),
  y: number(2, (d) => d.getFullYear() % 100),
  Y: number(1, (d) => d.getFullYear()),
  Z: constant(""),
  "%": constant("%"),
};
