import { access } from "node:fs/promises";
import path from "node:path";
import {
  type ChatMessage,
  dataErrors,
  type MediaLibrary,
  type MediaReader,
  type MediaRef,
  mediaKindOf,
  mediaPartsOf,
  mediaValueOf,
  type RunMedia,
} from "../data/index.js";
import { writeFileAtomically } from "../formats/index.js";
import type { CallOptions } from "../host/types.js";
import { makeFolder } from "../host/util/make-folder.js";
import { mediaFileName, mediaFolder, written } from "../tracking/index.js";

/** What names media: trajectories, rows of answers. */
export interface ShowsMedia {
  readonly media?: readonly MediaRef[];
}

/** Each medium once, however many trajectories and steps name it. */
function distinct(records: readonly ShowsMedia[]): readonly MediaRef[] {
  const all = records.flatMap(({ media = [] }) => media);
  return [...new Map(all.map((medium): [string, MediaRef] => [medium.id, medium])).values()];
}

/**
 * Writes what the trajectories of files in this folder show, so that they stay complete when the run and its data are gone. Called
 * before the files are written: they never name what is not there.
 */
export async function writeMedia(folder: string, records: readonly ShowsMedia[], reader: MediaReader): Promise<void> {
  for (const medium of distinct(records)) {
    const file = path.join(mediaFolder(folder), mediaFileName(medium));
    if (await exists(file)) continue;
    const bytes = await reader.bytes(medium);
    await written(file, async () => {
      await makeFolder(path.dirname(file));
      await writeFileAtomically(file, async (handle) => void (await handle.writeFile(bytes)));
    });
  }
}

/** The media that messages name by reference. */
export const mediaOf = (messages: readonly ChatMessage[], library: Pick<MediaLibrary, "find">): readonly MediaRef[] =>
  mediaPartsOf(messages).flatMap(({ value }) => library.find(value) ?? []);

/** The messages for a file in a folder that {@link writeMedia} has written to: they name media by their files, as data do. */
export function withMediaPaths(
  messages: readonly ChatMessage[],
  library: Pick<MediaLibrary, "find">,
): readonly ChatMessage[] {
  return messages.map((message) => {
    if (!Array.isArray(message.content)) return message;
    const content = message.content.map((part) => {
      const kind = mediaKindOf(part);
      const ref = kind && library.find(mediaValueOf(part, kind));
      return ref ? { ...part, [ref.kind]: path.posix.join(mediaFolder("."), mediaFileName(ref)) } : part;
    });
    return { ...message, content };
  });
}

/** Takes in what recorded trajectories show, from beside the dumps that they were read from. */
export async function readMedia(
  folders: readonly string[],
  records: readonly ShowsMedia[],
  media: Pick<RunMedia, "takeFile">,
  { signal }: CallOptions = {},
): Promise<void> {
  for (const medium of distinct(records)) {
    let found = false;
    for (const folder of folders.map((dump) => mediaFolder(dump))) {
      if (!(await exists(path.join(folder, mediaFileName(medium))))) continue;
      const ref = await media.takeFile(medium.kind, mediaFileName(medium), { root: folder, signal });
      found = ref.id === medium.id;
      if (found) break;
    }
    if (found) continue;
    throw dataErrors.VERL_DATA_MEDIA({
      what: `the ${medium.kind} ${medium.id.slice(0, 8)} of a recorded trajectory is not beside its dump`,
      where: folders.map((dump) => path.join(mediaFolder(dump), mediaFileName(medium))).join(", "),
    });
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
