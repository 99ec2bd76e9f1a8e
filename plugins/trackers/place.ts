import { reasonOf, requireWritableFile, requireWritableFolder } from "../../core/plugin.js";
import { trackerErrors } from "./errors.js";

/** Where a tracker of this machine writes. */
export interface Place {
  readonly tracker: string;
  /** Absolute. */
  readonly file?: string;
  readonly folder?: string;
  /** What chooses it, e.g. `TENSORBOARD_DIR`. */
  readonly chosenBy: string;
}

/** @throws VERL_TRACKER_UNWRITABLE */
export async function checkPlace({ tracker, file, folder, chosenBy }: Place): Promise<void> {
  try {
    if (file !== undefined) await requireWritableFile(file);
    if (folder !== undefined) await requireWritableFolder(folder);
  } catch (cause) {
    throw trackerErrors.VERL_TRACKER_UNWRITABLE({
      what: `the tracker ${tracker} cannot write ${file === undefined ? "into its folder" : "its file"}`,
      where: file ?? folder,
      why: reasonOf(cause),
      fix: `choose another place with ${chosenBy}, or take ${tracker} out of trainer.logger`,
      cause,
    });
  }
}
