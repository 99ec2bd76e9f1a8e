import { access } from "node:fs/promises";
import path from "node:path";
import { mediaFileName, mediaFolder, type TrajectoryFile, type TrajectoryRecord } from "../../core/tracking/index.js";

/** Files of media, by the media's ids. */
export type MediaFiles = ReadonlyMap<string, string>;

/** Where what these trajectories show lies: beside the files that they were read from. */
export async function mediaFilesOf(
  records: readonly TrajectoryRecord[],
  files: readonly TrajectoryFile[],
): Promise<MediaFiles> {
  const folders = [...new Set(files.map(({ file }) => mediaFolder(path.dirname(file))))];
  const found = new Map<string, string>();
  for (const medium of records.flatMap(({ media = [] }) => media)) {
    for (const folder of found.has(medium.id) ? [] : folders) {
      const file = path.join(folder, mediaFileName(medium));
      if (!(await isThere(file))) continue;
      found.set(medium.id, file);
      break;
    }
  }
  return found;
}

/** The trajectory with the file of each of its media, null where it has none. */
export function withMediaFiles(record: TrajectoryRecord, files: MediaFiles) {
  if (!record.media) return record;
  return { ...record, media: record.media.map((placed) => ({ ...placed, file: files.get(placed.id) ?? null })) };
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
