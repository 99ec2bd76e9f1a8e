/** `npm run fuzz -- [--reader NAME] [--runs N] [--seed S] [--json] [--replay FILE] [--out FOLDER]` */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { commandLine, usageError, wholeNumber } from "../command-line.js";
import { bytesOf, type FuzzReader } from "./fuzz-reader.js";
import { inputsOf } from "./inputs.js";
import type { Measured } from "./outcome.js";
import { readers } from "./readers/index.js";
import { WatchedChild } from "./watched-child.js";

const USAGE = "npm run fuzz -- [--reader NAME] [--runs N] [--seed S] [--json] [--replay FILE] [--out FOLDER]";
const { values } = commandLine({
  usage: USAGE,
  options: {
    reader: { type: "string", multiple: true },
    runs: { type: "string", default: "5000" },
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "fuzz-failures" },
    replay: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

interface Failure {
  readonly what: string;
  readonly stack?: string;
  readonly file: string;
}
interface Report {
  readonly reader: string;
  readonly results: number;
  readonly coded: number;
  readonly failures: readonly Failure[];
  readonly slowestMs: number;
  readonly largestMiB: number;
}

const runs = wholeNumber("runs", values.runs, 0, USAGE);
const seed = wholeNumber("seed", values.seed, Number.MIN_SAFE_INTEGER, USAGE);
if (values.replay !== undefined && !existsSync(values.replay)) usageError(`There is no file ${values.replay}.`, USAGE);
const chosen = choose(values.reader ?? (values.replay ? [path.basename(values.replay).split(".")[0]] : undefined));
const say = (text: string) => values.json || console.log(text);

const reports: Report[] = [];
for (const reader of chosen) {
  const report = await fuzz(reader);
  reports.push(report);
  say(
    `${report.failures.length > 0 ? "FAIL" : "ok  "} ${reader.name.padEnd(16)} ${report.results} read, ${report.coded} refused, ` +
      `${report.failures.length} failed; slowest ${report.slowestMs} ms, largest ${report.largestMiB} MiB`,
  );
}
const failed = reports.reduce((sum, { failures }) => sum + failures.length, 0);
const passed = reports.reduce((sum, { results, coded }) => sum + results + coded, 0);
if (values.json) console.log(JSON.stringify({ seed, runs, readers: reports, passed, failed }, null, 2));
else console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

async function fuzz(reader: FuzzReader): Promise<Report> {
  const child = new WatchedChild();
  const failures: Failure[] = [];
  const [ended, most] = [
    { result: 0, coded: 0 },
    { cpuMs: 0, bytes: 0 },
  ];
  for await (const input of inputs(reader)) {
    const measured = await child.run(reader, input);
    most.cpuMs = Math.max(most.cpuMs, measured.cpuMs);
    most.bytes = Math.max(most.bytes, measured.bytes);
    if (measured.kind !== "fault") ended[measured.kind]++;
    else failures.push(keep(reader, input, measured));
  }
  child.close();
  return {
    reader: reader.name,
    results: ended.result,
    coded: ended.coded,
    failures,
    slowestMs: Math.round(most.cpuMs),
    largestMiB: Math.round(most.bytes / 2 ** 20),
  };
}

async function* inputs(reader: FuzzReader): AsyncGenerator<Uint8Array> {
  if (values.replay) {
    yield readFileSync(values.replay);
    return;
  }
  for (const make of Object.values(reader.hostile ?? {})) yield bytesOf(make());
  yield* inputsOf(reader, runs, seed);
}

/** Keeps the input of a failure as a file that `--replay` reads. */
function keep(reader: FuzzReader, input: Uint8Array, measured: Measured & { kind: "fault" }): Failure {
  const { what, stack } = measured;
  const hash = createHash("sha256").update(input).digest("hex").slice(0, 12);
  const file = values.replay ?? path.join(values.out, `${reader.name}.${hash}.bin`);
  if (!values.replay) {
    mkdirSync(values.out, { recursive: true });
    writeFileSync(file, input);
  }
  say(`     ${reader.name} ${what}\n       --replay ${file}`);
  if (stack && values.replay) say(stack);
  return { what, stack, file };
}

function choose(names: readonly string[] | undefined): readonly FuzzReader[] {
  if (!names) return readers;
  const known = readers.map(({ name }) => name);
  for (const name of names)
    if (!known.includes(name)) usageError(`There is no reader ${name}; readers are ${known.join(", ")}.`, USAGE);
  return readers.filter(({ name }) => names.includes(name));
}
