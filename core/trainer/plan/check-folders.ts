import { statfs } from "node:fs/promises";
import path from "node:path";
import type { RunConfig } from "../../config/run-config.js";
import { reasonOf } from "../../host/errors.js";
import { requireWritableFolder } from "../../host/util/require-writable.js";
import { trainerErrors } from "../errors.js";
import { refuseUsedFolder } from "../run-lock.js";

const KEYS = ["default_local_dir", "output_dir", "rollout_data_dir", "validation_data_dir"] as const;

/**
 * Refuses a run whose folders cannot be made or written, and one whose folder another run is using. Leaves nothing behind.
 *
 * @throws VERL_TRAINER_FOLDER_UNUSABLE, VERL_TRAINER_FOLDER_IN_USE
 */
export async function checkFolders({ trainer }: Pick<RunConfig, "trainer">, cwd: string): Promise<void> {
  for (const key of KEYS) {
    const named = trainer[key];
    if (named === null) continue;
    const folder = path.resolve(cwd, named);
    await requireWritableFolder(folder).catch((cause: unknown) => {
      throw trainerErrors.VERL_TRAINER_FOLDER_UNUSABLE({
        what: "the run's folder cannot be used",
        where: `${folder} (trainer.${key})`,
        why: reasonOf(cause),
        fix: `set trainer.${key} to a folder that may be written to`,
        cause,
      });
    });
  }
  await refuseUsedFolder(path.resolve(cwd, trainer.default_local_dir));
}

/** Bytes that are free where a folder is or will be; null where the system does not tell. */
export async function freeBytes(folder: string): Promise<number | null> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const found = await statfs(at).catch(() => null);
    if (found) return found.bavail * found.bsize;
    if (at === path.dirname(at)) return null;
  }
}
