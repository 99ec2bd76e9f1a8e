import path from "node:path";
import { parseArgs } from "node:util";

/** An example as its command line shows it. */
export interface ExampleCommand {
  /** Folder under `examples/` and under `outputs/`. */
  readonly name: string;
  /** How it is started. */
  readonly command?: string;
  readonly steps: number;
  readonly supervisedSteps: number;
  /** Held-out items of a validation; null: their number is fixed. */
  readonly items: number | null;
  /** Further switches with their meaning, e.g. the control experiment. */
  readonly switches?: Readonly<Record<string, string>>;
  /** Further whole numbers, by the name of their option. */
  readonly numbers?: Readonly<Record<string, NumberOption>>;
}

export interface NumberOption {
  readonly value: number;
  readonly least: number;
  readonly meaning: string;
}

export interface ExampleOptions {
  readonly seed: number;
  /** Steps of reinforcement learning. */
  readonly steps: number;
  readonly supervisedSteps: number;
  readonly items: number;
  /** 0: as many as there are processors. */
  readonly threads: number;
  /** Absolute. */
  readonly out: string;
  readonly json: boolean;
  /** The switches that were given. */
  readonly chosen: ReadonlySet<string>;
  readonly numbers: Readonly<Record<string, number>>;
  /** `key=value` of the run's configuration. */
  readonly overrides: readonly string[];
  /** Writes for people: to standard output, or to standard error where that is kept for JSON. */
  say(text: string): void;
}

/** The options of an example. Ends the process for `--help`, and with code 2 for what it cannot use. */
export function readOptions(command: ExampleCommand): ExampleOptions {
  const { name, switches = {}, numbers = {} } = command;
  const text = (value: number) => ({ type: "string", default: String(value) }) as const;
  const { values, positionals } = parse(command, {
    seed: text(1),
    steps: text(command.steps),
    "supervised-steps": text(command.supervisedSteps),
    ...(command.items === null ? {} : { items: text(command.items) }),
    threads: text(0),
    out: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
    ...Object.fromEntries(Object.keys(switches).map((key) => [key, { type: "boolean", default: false }])),
    ...Object.fromEntries(Object.entries(numbers).map(([key, { value }]) => [key, text(value)])),
  });
  if (values.help === true) {
    process.stdout.write(usage(command));
    process.exit(0);
  }
  const number = (key: string, least = 0) => {
    const given = String(values[key]);
    const value = given.trim() === "" ? Number.NaN : Number(given);
    if (Number.isInteger(value) && value >= least) return value;
    return refuse(`--${key} needs a whole number from ${least}, not ${JSON.stringify(given)}\n`);
  };
  const seed = number("seed");
  const json = values.json === true;
  const out = typeof values.out === "string" ? values.out : path.join("outputs", name, `seed-${seed}`);
  return {
    seed,
    steps: number("steps", 1),
    supervisedSteps: number("supervised-steps"),
    items: command.items === null ? 0 : number("items", 1),
    threads: number("threads"),
    out: path.resolve(out),
    json,
    chosen: new Set(Object.keys(switches).filter((key) => values[key] === true)),
    numbers: Object.fromEntries(Object.entries(numbers).map(([key, { least }]) => [key, number(key, least)])),
    overrides: positionals,
    say: (line) => void (json ? process.stderr : process.stdout).write(line),
  };
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

function parse(
  command: ExampleCommand,
  options: Options,
): { readonly values: Record<string, unknown>; readonly positionals: readonly string[] } {
  try {
    const parsed = parseArgs({ options, allowPositionals: true });
    const stray = parsed.positionals.find((text) => !text.includes("="));
    if (stray !== undefined) throw new TypeError(`${stray} is neither an option nor key=value`);
    return parsed;
  } catch (error) {
    return refuse(`${(error as Error).message}\n${usage(command)}`);
  }
}

function usage({ name, command, items, switches = {}, numbers = {} }: ExampleCommand): string {
  const start = command ?? `npm run examples -- ${name}`;
  const flags = [...Object.keys(switches).map((key) => `--${key}`), ...Object.keys(numbers).map((key) => `--${key} N`)];
  const meanings = {
    ...switches,
    ...Object.fromEntries(
      Object.entries(numbers).map(([key, { value, meaning }]) => [`${key} N`, `${meaning} (${value})`]),
    ),
    json: "end with one line of JSON on standard output; everything else goes to standard error",
  };
  const own = ["--seed N", ...flags, "--steps N", "--supervised-steps N", ...(items === null ? [] : ["--items N"])];
  return [
    `${start} ${[...own, "--threads N", "--out FOLDER", "--json", "key=value …"].map((option) => `[${option}]`).join(" ")}\n`,
    ...Object.entries(meanings).map(([key, what]) => `  ${`--${key}`.padEnd(16)}${what}\n`),
  ].join("");
}

function refuse(text: string): never {
  process.stderr.write(text);
  process.exit(2);
}
