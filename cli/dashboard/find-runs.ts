import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { CONFIG_FILE, METRICS_FILE, NOTE_FILE, SAMPLES_FILE } from "../../core/tracking/index.js";

/** The folder of a run. */
export interface FoundRun {
  /** By which requests name it; never a path. */
  readonly id: string;
  readonly dir: string;
  /** Its path below the folder that is shown. */
  readonly name: string;
}

const DEPTH = 5;
/** Beyond these the search ends, so that somebody's home folder does not keep the page waiting. */
const MAX_RUNS = 1000;
const MAX_FOLDERS = 20_000;

/** Runs in and below the folders, newest names last; links are not followed, and nothing is looked for inside a run. */
export async function findRuns(roots: readonly string[]): Promise<FoundRun[]> {
  const runs = new Map<string, FoundRun>();
  let folders = 0;
  const visit = async (dir: string, root: string, depth: number): Promise<void> => {
    if (runs.size >= MAX_RUNS || ++folders > MAX_FOLDERS) return;
    const entries = await readdir(dir, { withFileTypes: true }).catch((): Dirent[] => []);
    if (entries.some(({ name }) => name === METRICS_FILE || name === SAMPLES_FILE) || isNewRun(entries)) {
      const id = createHash("sha256").update(dir).digest("hex").slice(0, 16);
      runs.set(id, { id, dir, name: nameOf(dir, root, roots.length > 1) });
      return;
    }
    if (depth === DEPTH) return;
    const names = entries.filter((e) => e.isDirectory() && !e.name.startsWith(".") && e.name !== "node_modules");
    for (const { name } of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      await visit(path.join(dir, name), root, depth + 1);
    }
  };
  for (const root of roots) await visit(root, root, 0);
  return [...runs.values()];
}

/** A run that has not logged anything yet; a file of that name alone may be anybody's. */
const isNewRun = (entries: readonly Dirent[]) =>
  [CONFIG_FILE, NOTE_FILE].every((wanted) => entries.some(({ name }) => name === wanted));

function nameOf(dir: string, root: string, several: boolean): string {
  const relative = path.relative(root, dir);
  if (relative === "") return path.basename(dir);
  return several ? path.join(path.basename(root), relative) : relative;
}
