/**
 * Runs every tracker with its real client, offline, and reads back what it wrote: `npm run check:trackers`. It needs a Python with
 * the clients, named by VERL_TRACKER_PYTHON; see docs/Guide/trackers.md.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { TrackerFactory } from "../../../core/plugin.js";
import { metricsLine } from "../../../core/tracking/index.js";
import { pythonTrackers, tensorBoardTracker } from "../../../plugins/trackers/index.js";
import { fakeRunInfo, fakeTrajectory } from "../../../testing/index.js";
import { cli } from "../../cli/support.js";

const READER = fileURLToPath(new URL("../../../../test/plugins/trackers/read_back.py", import.meta.url));
const KILLED = new URL("./killed-run.js", import.meta.url);
const python = process.env.VERL_TRACKER_PYTHON ?? "python3";

/** Without a network, and with everything in one folder. */
const environment = (folder: string): Record<string, string | undefined> => ({
  ...process.env,
  TENSORBOARD_DIR: path.join(folder, "events"),
  WANDB_MODE: "offline",
  SWANLAB_MODE: "offline",
  TRACKIO_DIR: path.join(folder, "trackio"),
  MLFLOW_TRACKING_URI: `sqlite:///${path.join(folder, "mlflow.db")}`,
  HF_HUB_OFFLINE: "1",
});

/** What a tracker holds of a run, as `read_back.py` prints it. */
interface Held {
  readonly scalars: Readonly<Record<string, readonly (readonly [step: number, value: number | string])[]>>;
  readonly config: Readonly<Record<string, unknown>>;
  readonly tables: readonly { readonly step: number; readonly rows: readonly Readonly<Record<string, unknown>>[] }[];
  readonly ok: boolean | null;
}

/** `npm run check:trackers -- wandb mlflow` tries these alone. */
const chosen = process.argv.slice(2);
const results: { readonly name: string; readonly problem: string | null }[] = [];

async function check(name: string, body: (folder: string) => Promise<void>): Promise<void> {
  if (chosen.length > 0 && !chosen.includes(name.split(":")[0])) return;
  const folder = await mkdtemp(path.join(tmpdir(), "verl-check-trackers-"));
  const started = performance.now();
  const cwd = process.cwd();
  try {
    // Clients leave files in the working directory.
    process.chdir(folder);
    await body(folder);
    results.push({ name, problem: null });
  } catch (error) {
    results.push({ name, problem: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  } finally {
    process.chdir(cwd);
    await rm(folder, { recursive: true, force: true });
  }
  const { problem } = results[results.length - 1];
  console.log(`${problem === null ? "ok  " : "FAIL"} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  if (problem !== null) console.log(problem.replace(/^/gm, "       "));
}

function readBack(tracker: string, folder: string): Held {
  const { status, stdout, stderr } = spawnSync(python, ["-B", READER, tracker, folder], {
    env: environment(folder) as NodeJS.ProcessEnv,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the reader failed: ${stderr}`);
  return JSON.parse(stdout.trim().split("\n").at(-1) as string) as Held;
}

function same(what: string, is: unknown, expected: unknown): void {
  if (isDeepStrictEqual(is, expected)) return;
  throw new Error(`${what}: ${JSON.stringify(is)} instead of ${JSON.stringify(expected)}`);
}

const CONFIG = { trainer: { total_training_steps: 6, seed: 1 }, data: { files: ["a.jsonl"] }, api_key: "********" };
const NAMES = ["actor/loss", "val-core/odd name@8/mean@1"];
const sample = (step: number) =>
  fakeTrajectory({ split: "val", step, promptText: "6*7=\n", responseText: "<b>42</b> 四十二", score: 0.5 });

/** Steps up to 4, of which a resumed run repeats 3 and 4. */
async function train(factory: TrackerFactory, folder: string): Promise<string[]> {
  const warnings: string[] = [];
  const settings = { valGenerations: 2, python, proxy: null };
  for (const [startStep, steps] of [
    [0, [0, 1, 2, 3, 4]],
    [2, [3, 4, 5, 6]],
  ] as const) {
    const tracker = await factory.create({ env: environment(folder), settings });
    const warn = (line: string) => void warnings.push(line);
    const logger = { debug() {}, info() {}, warn, error: warn };
    await tracker.start(fakeRunInfo({ outputDir: path.join(folder, "run"), startStep, config: CONFIG, logger }));
    for (const step of steps) {
      if (step % 2 === 0) await tracker.logTrajectories?.([sample(step)], step);
      await tracker.log({ [NAMES[0]]: step / 4, [NAMES[1]]: 1 - step / 8, bad: Number.NaN }, step);
    }
    await tracker.finish({ exitCode: 0 });
  }
  return warnings;
}

for (const factory of [tensorBoardTracker, ...pythonTrackers]) {
  const { name } = factory;
  await check(`${name}: a run with its resumption has every step once, configuration and samples`, async (folder) => {
    same("warnings", await train(factory, folder), []);
    const held = readBack(name, folder);
    const steps = [0, 1, 2, 3, 4, 5, 6];
    const loss = steps.map((step) => [step, step / 4]);
    const odd = steps.map((step) => [step, 1 - step / 8]);
    same("loss", held.scalars[NAMES[0]], loss);
    same(
      "a name with unusual characters",
      Object.values(held.scalars).find((line) => isDeepStrictEqual(line, odd)),
      odd,
    );
    same("configuration", held.config["trainer.total_training_steps"], 6);
    same("masked key", held.config.api_key, "********");
    same(
      "tables",
      held.tables.map(({ step }) => step),
      [0, 2, 4, 6],
    );
    const { promptText: input, responseText: output } = sample(0);
    same("a row", held.tables[1].rows[0], { input, output, gts: "42", score: 0.5 });
    same("end", held.ok, true);
  });
}

for (const { name } of pythonTrackers) {
  await check(`${name}: ends with a run that is killed, which has every step`, async (folder) => {
    const env = environment(folder);
    const child = spawn(process.execPath, [fileURLToPath(KILLED), name, python, path.join(folder, "run")], {
      env: env as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [pids] = (await once(child.stdout, "data")) as [Buffer];
    child.kill("SIGKILL");
    await once(child, "exit");
    const started = performance.now();
    for (const pid of String(pids).trim().split(" ").map(Number)) {
      while (isAlive(pid)) {
        if (performance.now() - started > 60_000) throw new Error(`the process ${pid} goes on`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    same("steps", readBack(name, folder).scalars["actor/loss"], [
      [1, 0.5],
      [2, 1],
    ]);
  });
}

await check("wandb: does not begin without a key, and says so", async (folder) => {
  const env = { ...environment(folder), WANDB_MODE: "online", HOME: folder, NETRC: path.join(folder, "none") };
  const tracker = await pythonTrackers[0].create({ env, settings: { valGenerations: 0, python, proxy: null } });
  const failed = await Promise.resolve(tracker.start(fakeRunInfo({ outputDir: folder }))).catch(
    (error: Error) => error,
  );
  if (!String(failed).includes("VERL_TRACKER_START_FAILED")) throw new Error(`it ended with ${failed}`);
});

await check("export: CSV and Parquet are read by Python as they were logged", async (folder) => {
  await mkdir(path.join(folder, "run"));
  const lines = [
    metricsLine(0, { "val/acc": 0.5 }, new Date(0)),
    metricsLine(1, { "actor/loss": 0.1, 'odd,"name"': Number.NaN }, new Date(1)),
    metricsLine(2, { "actor/loss": Number.NEGATIVE_INFINITY, "val/acc": 1e-300 }, new Date(2)),
  ];
  await writeFile(path.join(folder, "run", "metrics.jsonl"), `${lines.join("\n")}\n`);
  for (const format of ["csv", "parquet"]) {
    await cli(["export", "run", "-o", `a.${format}`], { cwd: folder });
    const held = readBack(format, folder);
    same(format, held.scalars, {
      "val/acc": [
        [0, 0.5],
        [2, 1e-300],
      ],
      "actor/loss": [
        [1, 0.1],
        [2, "-inf"],
      ],
      'odd,"name"': [[1, "nan"]],
    });
  }
  // Readable by others, too: what was written is what lies there.
  same("magic", (await readFile(path.join(folder, "a.parquet"))).subarray(0, 4).toString(), "PAR1");
});

/** A zombie that nobody has collected yet is dead. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !stat.slice(stat.lastIndexOf(")")).startsWith(") Z");
  } catch {
    return false;
  }
}

const failed = results.filter(({ problem }) => problem !== null).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
