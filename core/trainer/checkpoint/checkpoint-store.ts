import { existsSync } from "node:fs";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { isLeftOver } from "../../formats/index.js";
import { isVerlError, reasonOf } from "../../host/errors.js";
import { makeFolder } from "../../host/util/make-folder.js";
import { written } from "../../tracking/index.js";
import { trainerErrors } from "../errors.js";
import { type CheckDepth, damageOf, MARKER, type Marker, readMarker, sealTree, syncPath } from "./checkpoint-marker.js";

/** Names the newest complete step as plain text, as the reference does. */
export const TRACKER_FILE = "latest_checkpointed_iteration.txt";
/** Written into a checkpoint once its step has been logged. */
const LOGGED = "logged";
const STEP_PREFIX = "global_step_";

export interface SavedCheckpoint {
  readonly step: number;
  readonly dir: string;
}

/** A checkpoint that cannot be resumed from, and why. */
export interface DamagedCheckpoint {
  readonly dir: string;
  readonly why: string;
}

export interface FoundCheckpoint {
  /** The newest complete one. */
  readonly saved: SavedCheckpoint | null;
  /** Those that would have come before it. */
  readonly damaged: readonly DamagedCheckpoint[];
}

/**
 * A folder of checkpoints that survives a kill at any moment: a checkpoint is written under a temporary name, synced,
 * marked complete last, renamed into place, named by the tracker file, and only then are older ones removed.
 */
export class CheckpointStore {
  constructor(
    readonly root: string,
    private readonly options: { readonly maxToKeep: number | null; readonly runId: string },
  ) {}

  dirOf(step: number): string {
    return path.join(this.root, `${STEP_PREFIX}${step}`);
  }

  /** Write one checkpoint. On failure nothing of it remains and earlier ones are as they were. */
  async save(step: number, write: (dir: string) => Promise<void>): Promise<SavedCheckpoint> {
    const final = this.dirOf(step);
    const temporary = path.join(this.root, `.tmp-${STEP_PREFIX}${step}-${process.pid}`);
    try {
      await rm(temporary, { recursive: true, force: true });
      await makeFolder(temporary);
      await write(temporary);
      const marker: Marker = { version: 1, step, runId: this.options.runId, ...(await sealTree(temporary)) };
      await writeDurably(path.join(temporary, MARKER), `${JSON.stringify(marker, null, 1)}\n`);
      await syncPath(temporary);
      await this.#moveIntoPlace(temporary, final);
      await writeDurably(path.join(this.root, `${TRACKER_FILE}.tmp`), `${step}`);
      await rename(path.join(this.root, `${TRACKER_FILE}.tmp`), path.join(this.root, TRACKER_FILE));
      await syncPath(this.root);
    } catch (error) {
      await rm(temporary, { recursive: true, force: true }).catch(() => {});
      if (isVerlError(error)) throw error;
      throw trainerErrors.VERL_TRAINER_CHECKPOINT_WRITE({
        what: `the checkpoint of step ${step} could not be written`,
        where: final,
        why: reasonOf(error),
        cause: error,
      });
    }
    await this.rotate(step);
    return { step, dir: final };
  }

  /** The newest checkpoint whose files have the sizes that were written, or null. */
  async latest(): Promise<SavedCheckpoint | null> {
    return (await this.find("sizes")).saved;
  }

  /** The checkpoint that the tracker file names, or if that is not whole the newest that is. */
  async find(depth: CheckDepth): Promise<FoundCheckpoint> {
    const named = await this.#trackedStep();
    const others = (await this.steps()).reverse().filter((step) => step !== named);
    const damaged: DamagedCheckpoint[] = [];
    for (const step of named === null ? others : [named, ...others]) {
      const dir = this.dirOf(step);
      const why = existsSync(dir)
        ? await damageOf(dir, depth)
        : `${TRACKER_FILE} names it, and there is no such folder`;
      if (why === null) return { saved: { step, dir }, damaged };
      damaged.push({ dir, why });
    }
    return { saved: null, damaged };
  }

  /** A checkpoint named by the user: a path whose last part is `global_step_N`. */
  async at(checkpointPath: string): Promise<SavedCheckpoint> {
    const dir = path.resolve(checkpointPath);
    const match = /^global_step_(\d+)$/.exec(path.basename(dir));
    if (!match) {
      throw trainerErrors.VERL_TRAINER_CHECKPOINT_BAD({
        what: `${checkpointPath} is not a checkpoint folder`,
        why: "its last part is not global_step_N",
      });
    }
    if (!existsSync(dir)) {
      throw trainerErrors.VERL_TRAINER_CHECKPOINT_BAD({ what: "the checkpoint does not exist", where: dir });
    }
    const why = await damageOf(dir, "contents");
    if (why !== null) {
      throw trainerErrors.VERL_TRAINER_CHECKPOINT_BAD({ what: "the checkpoint is incomplete", where: dir, why });
    }
    return { step: Number(match[1]), dir };
  }

  /** Steps with a folder, ascending, complete or not. */
  async steps(): Promise<number[]> {
    const names = await readdir(this.root).catch(() => [] as string[]);
    return names
      .map((name) => /^global_step_(\d+)$/.exec(name)?.[1])
      .filter((text): text is string => text !== undefined)
      .map(Number)
      .sort((a, b) => a - b);
  }

  /** Note that the trackers have the metrics of a checkpoint's step. */
  async markLogged({ dir }: SavedCheckpoint): Promise<void> {
    const file = path.join(dir, LOGGED);
    await written(file, () => writeDurably(file, ""));
  }

  async isLogged({ dir }: SavedCheckpoint): Promise<boolean> {
    return existsSync(path.join(dir, LOGGED));
  }

  /** Remove what an earlier, killed process left half-written, and put back what it had moved aside. */
  async clean(): Promise<void> {
    const names = await readdir(this.root).catch(() => [] as string[]);
    for (const name of names) {
      const step = /^\.old-global_step_(\d+)-/.exec(name)?.[1];
      if (step && !existsSync(this.dirOf(Number(step)))) {
        await rename(path.join(this.root, name), this.dirOf(Number(step)));
      }
    }
    for (const name of names) {
      if (name.startsWith(".tmp-") || name.startsWith(".old-") || isLeftOver(name)) {
        await rm(path.join(this.root, name), { recursive: true, force: true });
      }
    }
  }

  async #moveIntoPlace(temporary: string, final: string): Promise<void> {
    if (!existsSync(final)) return rename(temporary, final);
    const aside = path.join(this.root, `.old-${path.basename(final)}-${process.pid}`);
    await rename(final, aside);
    await rename(temporary, final);
    await rm(aside, { recursive: true, force: true });
  }

  async #trackedStep(): Promise<number | null> {
    const file = path.join(this.root, TRACKER_FILE);
    const text = await readFile(file, "utf8").catch(() => null);
    if (text === null) return null;
    if (!/^\s*\d+\s*$/.test(text)) {
      throw trainerErrors.VERL_TRAINER_CHECKPOINT_BAD({
        what: `the tracker file holds ${JSON.stringify(text.slice(0, 40))}, not a step number`,
        where: file,
        fix: "write the step of a checkpoint into it, or delete the file to use the newest complete checkpoint",
      });
    }
    return Number(text);
  }

  /** Keep the newest `maxToKeep` of this run (across resumes) up to `newest`; never the folders of other runs. */
  async rotate(newest: number): Promise<void> {
    const keep = this.options.maxToKeep;
    if (!keep || keep <= 0) return;
    const own: number[] = [];
    for (const step of await this.steps()) {
      if (step > newest) continue;
      if ((await readMarker(this.dirOf(step)))?.runId === this.options.runId) own.push(step);
    }
    for (const step of own.slice(0, -keep)) {
      // Out of the way at once: a kill while files go leaves no half of a checkpoint under its name.
      const aside = path.join(this.root, `.tmp-removed-${step}-${process.pid}`);
      await rename(this.dirOf(step), aside);
      await rm(aside, { recursive: true, force: true });
    }
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  await writeFile(file, text);
  await syncPath(file);
}
