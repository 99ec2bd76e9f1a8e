/**
 * The algorithm layer on the host: next to NumPy and PyTorch, the implementations taking turns in one run, and its time per
 * token from 2^16 to 2^22 tokens.
 *
 *   VERL_BENCH_PYTHON=/path/to/python npm run bench -- algorithms [--workloads advantages,balancing,loss,linearity] [--rounds 9] [--json]
 *
 * Results of the implementations are compared before their times are. The Python needs numpy and torch.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { sequenceWorkload } from "../../core/algorithms/index.js";
import { commandLine, listOf, wholeNumber } from "../../test/command-line.js";
import { machine, summary } from "../figures.js";
import { speaker } from "../progress.js";
import { PythonProcess } from "../python-process.js";
import { scaled, WORKLOADS, type Work } from "./workloads.js";

const USAGE =
  "VERL_BENCH_PYTHON=/path/to/python npm run bench -- algorithms [--workloads advantages,balancing,loss,linearity] [--rounds 9] [--json]";
const { values: args } = commandLine({
  usage: USAGE,
  options: {
    workloads: { type: "string", default: "advantages,balancing,loss,linearity" },
    rounds: { type: "string", default: "9" },
    json: { type: "boolean", default: false },
  },
});
const rounds = wholeNumber("rounds", args.rounds, 1, USAGE);
const say = speaker(args);
const wanted = listOf("workloads", args.workloads, [...WORKLOADS.map(({ name }) => name), "linearity"], USAGE);

interface Timing {
  readonly name: string;
  readonly medianMs: number;
  readonly minMs: number;
}

interface Report {
  readonly machine: string;
  readonly python: string | null;
  readonly compared: { workload: string; what: string; agreement: string; timings: Timing[] }[];
  readonly linearity: { what: string; nsPerToken: Record<string, number>; worstOverBest: number }[];
}

async function main(): Promise<void> {
  const python = process.env.VERL_BENCH_PYTHON;
  const other = python ? await PythonProcess.start(python, "algorithms/counterparts.py") : null;
  const report: Report = { machine: machine(), python: other?.version ?? null, compared: [], linearity: [] };
  say(report.machine);
  say(other ? other.version : "VERL_BENCH_PYTHON is not set: NumPy and PyTorch are left out");
  const folder = await mkdtemp(path.join(os.tmpdir(), "verl-bench-"));
  try {
    if (other) await handOver(other, folder);
    for (const work of WORKLOADS.filter(({ name }) => wanted.includes(name))) {
      report.compared.push(await compare(work, other, folder));
    }
    if (wanted.includes("linearity")) for (const work of WORKLOADS) report.linearity.push(perToken(work.name));
  } finally {
    other?.stop();
    await rm(folder, { recursive: true });
  }
  if (args.json) console.log(JSON.stringify(report, null, 2));
}

/** The same data for everybody. */
async function handOver(other: PythonProcess, folder: string): Promise<void> {
  const [advantages, balancing, loss] = WORKLOADS;
  const files = { ...advantages.data, ...balancing.data, ...loss.data };
  for (const [name, data] of Object.entries(files)) await writeFile(path.join(folder, name), data);
  await other.call({ do: "load", folder, ...advantages.shape });
}

async function compare(work: Work, other: PythonProcess | null, folder: string): Promise<Report["compared"][number]> {
  say(`\n${work.what}`);
  const theirs = other ? work.counterparts : [];
  const result = work.run();
  const agreements: string[] = [];
  for (const name of theirs) {
    await other?.call({ do: "run", name, save: true, ranks: work.ranks });
    const buffer = await readFile(path.join(folder, "result"));
    const expected = new Float64Array(buffer.buffer, buffer.byteOffset, buffer.byteLength / 8);
    agreements.push(
      `${name.split(" ")[1]}: ${work.ranks > 0 ? spreads(result, expected, work) : largest(result, expected)}`,
    );
  }
  const times = new Map<string, number[]>([["verl-ts", []], ...theirs.map((name): [string, number[]] => [name, []])]);
  for (let round = 0; round <= rounds; round++) {
    const start = performance.now();
    work.run();
    // The first round warms up.
    if (round > 0) times.get("verl-ts")?.push(performance.now() - start);
    for (const name of theirs) {
      const { ms } = (await other?.call<{ ms: number }>({ do: "run", name, save: false, ranks: work.ranks })) ?? {
        ms: 0,
      };
      if (round > 0) times.get(name)?.push(ms);
    }
  }
  const timings = [...times].map(([name, list]) => {
    const { median, min } = summary(list);
    return { name: name.split(" ").at(-1) as string, medianMs: median, minMs: min };
  });
  for (const { name, medianMs, minMs } of timings) {
    const ratio =
      name === "verl-ts" ? "" : `  ratio ${(timings[0].medianMs / medianMs).toFixed(2)} (below 1: verl-ts is faster)`;
    say(`  ${name.padEnd(8)} ${medianMs.toFixed(1)} ms median, ${minMs.toFixed(1)} ms best${ratio}`);
  }
  const agreement = agreements.join("; ");
  if (agreement) say(`  results: ${agreement}`);
  return { workload: work.name, what: work.what, agreement, timings };
}

function largest(actual: ArrayLike<number>, expected: ArrayLike<number>): string {
  let [difference, size] = [0, 0];
  for (let i = 0; i < expected.length; i++) {
    difference = Math.max(difference, Math.abs(actual[i] - expected[i]));
    size = Math.max(size, Math.abs(expected[i]));
  }
  if (actual.length !== expected.length || !(difference <= 1e-5 * size)) {
    throw new Error(`the results differ by ${difference}, the largest being ${size}`);
  }
  return `largest difference ${difference.toExponential(1)} of ${size.toExponential(1)}`;
}

/** Parts as they are, rank by rank: how far the work of the busiest rank is above that of the idlest. */
function spreads(actual: ArrayLike<number>, expected: ArrayLike<number>, { lengths, ranks }: Work): string {
  const spread = (order: ArrayLike<number>) => {
    const sums = new Float64Array(ranks);
    const share = order.length / ranks;
    for (let i = 0; i < order.length; i++) sums[Math.floor(i / share)] += sequenceWorkload(lengths[order[i]]);
    return Math.max(...sums) / Math.min(...sums) - 1;
  };
  return `spread ${spread(actual).toExponential(1)}, theirs ${spread(expected).toExponential(1)}`;
}

/** Median time per token of batches that grow by factors of four. */
function perToken(name: Work["name"]): Report["linearity"][number] {
  const nsPerToken: Record<string, number> = {};
  for (const exponent of [16, 18, 20, 22]) {
    const work = scaled(name, 2 ** exponent);
    const times: number[] = [];
    for (let round = 0; round <= Math.max(3, Math.min(rounds, 2 ** (24 - exponent))); round++) {
      const start = performance.now();
      work.run();
      if (round > 0) times.push(performance.now() - start);
    }
    nsPerToken[`2^${exponent}`] = (summary(times).median * 1e6) / 2 ** exponent;
  }
  const all = Object.values(nsPerToken);
  const worstOverBest = Math.max(...all) / Math.min(...all);
  const list = Object.entries(nsPerToken).map(([size, ns]) => `${size}: ${ns.toFixed(1)}`);
  say(`\n${name}, ns per token  ${list.join("  ")}  worst/best ${worstOverBest.toFixed(2)}`);
  return { what: name, nsPerToken, worstOverBest };
}

await main();
