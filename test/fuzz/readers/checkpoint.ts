import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { createKlController } from "../../../core/algorithms/index.js";
import { createPromptLoader } from "../../../core/data/index.js";
import { readHostState } from "../../../core/engine/host-state.js";
import { loadRun, startOf } from "../../../core/trainer/checkpoint/trainer-state.js";
import { CheckpointStore, TRACKER_FILE } from "../../../core/trainer/index.js";
import type { RunParts } from "../../../core/trainer/run-parts.js";
import { numberedRows } from "../../core/data/support.js";
import { type FuzzReader, textOf } from "../fuzz-reader.js";
import { withOddMember } from "./odd-json.js";
import { nested } from "./soup.js";

/** Between the files of {@link FILES}. */
const CUT = "\n%%\n";
const FILES = ["complete.json", "trainer.json", "data.json", "actor/engine.json"];
const PARTS = {
  tracker: "2",
  complete: { version: 1, step: 2, runId: "r", files: {} },
  trainer: {
    version: 1,
    globalStep: 2,
    seed: 1,
    startedAt: "2026-01-02T03:04:05.000Z",
    data: "f",
    klController: { value: 0.1 },
    metrics: { loss: 0.5, kl: "NaN" },
  },
  data: { version: 1, draw: 4, rows: 10, batchSize: 2, sampler: { epoch: 0, position: 4, seed: 1 } },
  engine: { schedulerStep: 3, skippedUpdates: 0 },
};

const written = (parts: Readonly<Record<string, unknown>>) =>
  Object.keys(PARTS)
    .map((name) => (typeof parts[name] === "string" ? parts[name] : JSON.stringify(parts[name])))
    .join(CUT);

/** What a resumed run reads: tracker file, marker, trainer's, data loader's and engine's state. */
export const checkpoint: FuzzReader = {
  name: "checkpoint",
  seeds: () => [written(PARTS)],
  words: [
    '"files":null',
    '"files":',
    '"sampler":',
    '"metrics":',
    '"klController":',
    "null",
    "[]",
    "{}",
    "1e999",
    "-1",
    CUT,
  ],
  generated: fc
    .constantFrom("complete", "trainer", "data", "engine")
    .chain((name) => withOddMember(PARTS[name as "complete"]).map((odd) => written({ ...PARTS, [name]: odd ?? "" }))),
  hostile: {
    "null everywhere": () => ["2", '{"version":1,"files":{}}', "null", "null", "null"].join(CUT),
    "no files": () => written({ ...PARTS, complete: '{"version": 1, "files": null}' }),
    "no metrics": () => written({ ...PARTS, trainer: '{"version": 1, "globalStep": 2, "seed": 1, "data": null}' }),
    "no sampler": () => written({ ...PARTS, data: '{"version": 1, "draw": 4, "rows": 10}' }),
    "a step of 200,000 digits": () => written({ ...PARTS, tracker: "9".repeat(200_000) }),
    "deep state": () => written({ ...PARTS, trainer: nested("[", "]", 100_000) }),
    "deep metrics": () =>
      written({
        ...PARTS,
        trainer: `{"version": 1, "globalStep": 2, "seed": 1, "klController": {"value": 1}, "metrics": {"a": ${nested("[", "]", 100_000)}}}`,
      }),
    "20,000 files": () =>
      written({
        ...PARTS,
        complete: { version: 1, files: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`f${i}`, 1])) },
      }),
    "a position far away": () =>
      written({ ...PARTS, data: { ...PARTS.data, sampler: { epoch: 2 ** 53 - 1, position: 9, seed: 1e308 } } }),
  },
  async read(input, folder) {
    const [tracker, ...contents] = textOf(input).split(CUT);
    const dir = path.join(folder, "global_step_2");
    mkdirSync(path.join(dir, "actor"), { recursive: true });
    writeFileSync(path.join(folder, TRACKER_FILE), tracker);
    for (const [i, name] of FILES.entries()) writeFileSync(path.join(dir, name), contents[i] ?? "");
    const checkpoints = new CheckpointStore(folder, { maxToKeep: 1, runId: "r" });
    await checkpoints.latest();
    await checkpoints.clean();
    const saved = await checkpoints.at(dir);
    await startOf(saved);
    const parts = {
      config: { trainer: { seed: 1 }, actor_rollout_ref: { actor: { checkpoint: { load_contents: ["model"] } } } },
      actor: { loadCheckpoint: (from: string) => readHostState(from) },
      loader: createPromptLoader({ dataset: numberedRows(10), batchSize: 2, shuffle: true, seed: 1 }),
      klController: createKlController({ type: "fixed", klCoef: 0.1, targetKl: 0.1, horizon: 10 }),
      dataFingerprint: "f",
      checkpoints,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    };
    const resumed = await loadRun(parts as unknown as RunParts, saved);
    parts.loader.next();
    await checkpoints.rotate(resumed.step);
    return resumed;
  },
};
