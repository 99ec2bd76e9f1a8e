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
  /** Writes for people: to standard output, or to standard error where that is kept for JSON. */
  say(text: string): void;
}

/** The options of an example. Ends the process for `--help`, and with code 2 for what it cannot use. */
export function readOptions(command: ExampleCommand): ExampleOptions {
  const { name, switches = {} } = command;
  const text = (value: number) => ({ type: "string", default: String(value) }) as const;
  const values = parse(command, {
    seed: text(1),
    steps: text(command.steps),
    "supervised-steps": text(command.supervisedSteps),
    ...(command.items === null ? {} : { items: text(command.items) }),
    threads: text(0),
    out: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
    ...Object.fromEntries(Object.keys(switches).map((key) => [key, { type: "boolean", default: false }])),
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
    say: (line) => void (json ? process.stderr : process.stdout).write(line),
  };
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

function parse(command: ExampleCommand, options: Options): Record<string, unknown> {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return refuse(`${(error as Error).message}\n${usage(command)}`);
  }
}

function usage({ name, command, items, switches = {} }: ExampleCommand): string {
  const start = command ?? `npm run examples -- ${name}`;
  const flags = Object.keys(switches).map((key) => `[--${key}] `);
  const lines = Object.entries({ ...switches, ...JSON_SWITCH }).map(([key, what]) => `  ${`--${key}`.padEnd(12)}${what}\n`);
  return [
    `${start} [--seed N] ${flags.join("")}[--steps N] [--supervised-steps N] ${items === null ? "" : "[--items N] "}`,
    `[--threads N] [--out FOLDER] [--json]\n`,
    ...lines,
  ].join("");
}

const JSON_SWITCH = {
  json: "end with one line of JSON on standard output; everything else goes to standard error",
};

function refuse(text: string): never {
  process.stderr.write(text);
  process.exit(2);
}
