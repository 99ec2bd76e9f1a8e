import { access } from "node:fs/promises";
import path from "node:path";
import { dataErrors, type MediaReader, type MediaRef, type RunMedia } from "../data/index.js";
import { writeFileAtomically } from "../formats/index.js";
import { makeFolder } from "../host/make-folder.js";
import type { CallOptions } from "../host/types.js";
import type { TrajectoryRecord } from "../tracking/tracker.js";

type Recorded = Pick<TrajectoryRecord, "media">;

/** Beside dumps: a file for every medium that their trajectories name. */
const FOLDER = "media";

const fileOf = ({ id, mimeType }: MediaRef) =>
  `${id}.${mimeType.slice(mimeType.indexOf("/") + 1).replaceAll(/[^a-z0-9]/g, "")}`;

/** Each medium once, however many trajectories and steps name it. */
function distinct(records: readonly Recorded[]): readonly MediaRef[] {
  const all = records.flatMap(({ media = [] }) => media);
  return [...new Map(all.map((medium): [string, MediaRef] => [medium.id, medium])).values()];
}

/** Writes what the trajectories of a dump show, so that the dump stays complete when the run and its data are gone. */
export async function writeMedia(folder: string, records: readonly Recorded[], reader: MediaReader): Promise<void> {
  for (const medium of distinct(records)) {
    const file = path.join(folder, FOLDER, fileOf(medium));
    if (await exists(file)) continue;
    await makeFolder(path.dirname(file));
    const bytes = await reader.bytes(medium);
    await writeFileAtomically(file, async (handle) => void (await handle.writeFile(bytes)));
  }
}

/** Takes in what recorded trajectories show, from beside the dumps that they were read from. */
export async function readMedia(
  folders: readonly string[],
  records: readonly Recorded[],
  media: Pick<RunMedia, "takeFile">,
  { signal }: CallOptions = {},
): Promise<void> {
  for (const medium of distinct(records)) {
    let found = false;
    for (const folder of folders.map((dump) => path.join(dump, FOLDER))) {
      if (!(await exists(path.join(folder, fileOf(medium))))) continue;
      const ref = await media.takeFile(medium.kind, fileOf(medium), { root: folder, signal });
      found = ref.id === medium.id;
      if (found) break;
    }
    if (found) continue;
    throw dataErrors.VERL_DATA_MEDIA({
      what: `the ${medium.kind} ${medium.id.slice(0, 8)} of a recorded trajectory is not beside its dump`,
      where: folders.map((dump) => path.join(dump, FOLDER, fileOf(medium))).join(", "),
    });
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
