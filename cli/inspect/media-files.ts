import { access, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { dataUrl } from "../../core/data/index.js";
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

/** Bytes of one picture in a page, and of all of them. */
const MAX_PICTURE_BYTES = 2 ** 20;
const MAX_PAGE_BYTES = 2 ** 25;
/** What every browser shows. */
const SHOWN = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Data URLs of what these trajectories show, by id, as far as a page holds them; the text names the others. */
export async function picturesOf(
  records: readonly TrajectoryRecord[],
  files: MediaFiles,
): Promise<ReadonlyMap<string, string>> {
  const urls = new Map<string, string>();
  let left = MAX_PAGE_BYTES;
  for (const { id, mimeType } of records.flatMap(({ media = [] }) => media)) {
    const file = files.get(id);
    if (file === undefined || urls.has(id) || !SHOWN.includes(mimeType)) continue;
    const { size } = await stat(file);
    if (size > Math.min(MAX_PICTURE_BYTES, left)) continue;
    left -= size;
    urls.set(id, dataUrl({ mimeType }, await readFile(file)));
  }
  return urls;
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
