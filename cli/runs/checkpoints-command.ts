import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { reasonOf } from "../../core/host/basics.js";
import { CONFIG_FILE, RunFolder } from "../../core/tracking/index.js";
import {
  bytesText,
  CheckpointStore,
  damageOf,
  type ResumeReport,
  resumeReport,
  rowText,
} from "../../core/trainer/index.js";
import { cliErrors } from "../errors.js";
import { type CommandIo, painter, printJson, printLine } from "../program/io.js";
import { EXIT } from "../program/report-error.js";
import { formatTable } from "../program/table.js";
import { checkpointRoot } from "./run-checkpoints.js";

export interface CheckpointsRequest {
  /** Folder of a run, or of checkpoints. */
  readonly place: string;
  readonly json: boolean;
}

interface Listed {
  readonly step: number;
  readonly dir: string;
  /** All files are there as they were written; of those that are not the newest, their sizes alone were looked at. */
  readonly complete: boolean;
  /** Why it is not complete. */
  readonly why: string | null;
  /** The trackers have the metrics of the step. */
  readonly logged: boolean;
  readonly bytes: number;
  /** When the folder was written, ISO 8601. */
  readonly writtenAt: string;
}

/** `verl checkpoints PLACE`: what there is, and where a run would go on from. */
export async function checkpointsCommand({ place, json }: CheckpointsRequest, io: CommandIo): Promise<number> {
  const { root, seed, shuffle } = await rootOf(path.resolve(io.cwd, place));
  const store = new CheckpointStore(root, { maxToKeep: null, runId: "" });
  const listed: Listed[] = [];
  const { saved: latest, damaged } = await store.find("contents");
  const known = new Map(damaged.map(({ dir, why }) => [dir, why]));
  for (const step of await store.steps()) listed.push(await look(store, step, known));
  if (listed.length === 0) {
    const there = await stat(root).catch((error: unknown) => reasonOf(error));
    const why = typeof there === "string" ? there : there.isDirectory() ? undefined : "It is no folder.";
    throw cliErrors.VERL_CLI_NO_CHECKPOINT({ what: "There is no checkpoint.", where: root, why });
  }
  const resume = latest && (await resumeReport(latest, { data: { shuffle }, trainer: { seed } }, null));
  if (json) printJson(io, { root, checkpoints: listed, resume });
  else printLine(io.stdout, textOf(listed, resume, io));
  return EXIT.ok;
}

/** Where checkpoints are, and what of the run's configuration decides the next draw. */
async function rootOf(place: string): Promise<{ root: string; seed: number; shuffle: boolean }> {
  const names = await readdir(place).catch(() => [] as string[]);
  const run = names.includes(CONFIG_FILE) ? await RunFolder.open(place) : null;
  return {
    root: run ? await checkpointRoot(run) : place,
    seed: Number(run?.setting("trainer.seed") ?? 1),
    shuffle: run?.setting("data.shuffle") !== false,
  };
}

async function look(store: CheckpointStore, step: number, known: ReadonlyMap<string, string>): Promise<Listed> {
  const dir = store.dirOf(step);
  const why = known.get(dir) ?? (await damageOf(dir, "sizes"));
  let bytes = 0;
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(path.join(entry.parentPath, entry.name))).size;
  }
  return {
    step,
    dir,
    complete: why === null,
    why,
    logged: await store.isLogged({ step, dir }),
    bytes,
    writtenAt: (await stat(dir)).mtime.toISOString(),
  };
}

function textOf(listed: readonly Listed[], resume: ResumeReport | null, io: CommandIo): string {
  const paint = painter(io.color.stdout);
  const rows = listed.map(({ step, complete, why, logged, bytes, writtenAt }) => [
    String(step),
    complete ? "complete" : `incomplete: ${why}`,
    logged ? "logged" : complete ? "not logged: its step is finished first" : "",
    bytesText(bytes),
    writtenAt.slice(0, 19).replace("T", " "),
  ]);
  const lines = [formatTable(["step", "files", "metrics", "size", "written (UTC)"], rows), ""];
  if (!resume)
    return [
      ...lines,
      "None of them is complete: trainer.resume_mode=auto refuses them, and trainer.resume_mode=disable begins anew.",
    ].join("\n");
  const { step, next, startedAt } = resume;
  lines.push(`${paint("bold", "trainer.resume_mode=auto")} goes on from step ${step}.`);
  if (next) lines.push(`Next: step ${step + 1}, draw ${next.draw} (${next.uid}), ${rowText(next)}.`);
  if (startedAt) lines.push(`The run began at ${startedAt.slice(0, 19).replace("T", " ")} UTC.`);
  return lines.join("\n");
}
