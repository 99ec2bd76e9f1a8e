/**
 * How long commands take that answer at once: whole processes, wall time, from an empty folder.
 *
 *   node dist/bench/start/main.js [--rounds 10] [--commands='COMMAND;COMMAND'] [--json]
 *
 * One round runs every command once, so that what else the machine does hits all alike; each is run once before that.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { commandLine, wholeNumber } from "../../test/command-line.js";
import { machine, summary } from "../figures.js";

const MAIN = fileURLToPath(new URL("../../cli/main.js", import.meta.url));
const USAGE = "npm run bench -- start [--rounds 10] [--commands='COMMAND;COMMAND'] [--json]";
const COMMANDS = [
  "--help",
  "explain VERL_CONFIG_SIZES",
  "completion bash",
  "plugins list",
  "config explain data.seed",
  "config print",
  "plugins tree",
];
/** Node.js alone: nothing can be faster. */
const FLOOR = "node -e 0";

const { values: args } = commandLine({
  usage: USAGE,
  options: {
    rounds: { type: "string", default: "10" },
    commands: { type: "string", default: COMMANDS.join(";") },
    json: { type: "boolean", default: false },
  },
});
const rounds = wholeNumber("rounds", args.rounds, 1, USAGE);
const commands = [FLOOR, ...args.commands.split(";").map((command) => command.trim())];

const folder = mkdtempSync(path.join(os.tmpdir(), "verl-bench-start-"));
const times = new Map<string, number[]>(commands.map((command) => [command, []]));
try {
  for (let round = -1; round < rounds; round++) {
    for (const command of commands) {
      const milliseconds = measure(command);
      if (round >= 0) times.get(command)?.push(milliseconds);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}

const results = [...times].map(([command, ms]) => {
  const { median, min } = summary(ms);
  return { command, median, best: min, worst: Math.max(...ms) };
});
if (args.json) console.log(JSON.stringify({ machine: machine(), rounds, results }));
else {
  console.log(`milliseconds, ${rounds} rounds, ${machine()}`);
  const width = Math.max(...commands.map((command) => command.length));
  for (const { command, median, best, worst } of results)
    console.log(`${command.padEnd(width)}  ${median.toFixed(0)} (${best.toFixed(0)} to ${worst.toFixed(0)})`);
}

function measure(command: string): number {
  const argv = command === FLOOR ? ["-e", "0"] : [MAIN, ...command.split(" ")];
  const started = performance.now();
  const { status, error } = spawnSync(process.execPath, argv, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const elapsed = performance.now() - started;
  if (error) throw error;
  if (status !== 0) throw new Error(`\`${command}\` ended with ${status}.`);
  return elapsed;
}
