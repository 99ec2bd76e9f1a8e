import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { reasonOf } from "../../host/errors.js";
import { parseOutsideJson } from "../../host/util/outside-json.js";

/** Written last: a checkpoint without it was never finished. */
export const MARKER = "complete.json";

const markerSchema = z.object({
  version: z.literal(1),
  step: z.number(),
  runId: z.string(),
  /** Size in bytes of every file, by path relative to the checkpoint. */
  files: z.record(z.string(), z.number()),
  /** Of the same files, in hexadecimal; absent from checkpoints of earlier versions. */
  sha256: z.record(z.string(), z.string()).optional(),
});
export type Marker = z.infer<typeof markerSchema>;

/** `sizes` is a matter of milliseconds; `contents` reads every file whole, about a gigabyte a second. */
export type CheckDepth = "sizes" | "contents";

const CHUNK_BYTES = 1 << 20;

/** Null where there is none, or none that can be read. */
export async function readMarker(dir: string): Promise<Marker | null> {
  return parseMarker(dir).catch(() => null);
}

/** Why a checkpoint is not what was written; null for one that is, as far as was looked. */
export async function damageOf(dir: string, depth: CheckDepth): Promise<string | null> {
  let marker: Marker;
  try {
    marker = await parseMarker(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return `it has no ${MARKER}: it was never finished`;
    return `its ${MARKER} cannot be read: ${error instanceof z.ZodError ? z.prettifyError(error) : reasonOf(error)}`;
  }
  const files = Object.entries(marker.files);
  for (const [file, size] of files) {
    const info = await stat(path.join(dir, file)).catch(() => null);
    if (info === null) return `${file} is missing`;
    if (!info.isFile() || info.size !== size) return `${file} has ${info.size} bytes where ${size} were written`;
  }
  if (depth === "sizes" || !marker.sha256) return null;
  for (const [file, size] of files) {
    const wanted = marker.sha256[file];
    try {
      if (wanted === (await digest(path.join(dir, file), size))) continue;
    } catch (error) {
      return `${file} cannot be read: ${reasonOf(error)}`;
    }
    return `${file} holds other bytes than were written (${wanted ? "their checksum differs" : "it has no checksum"})`;
  }
  return null;
}

/** Syncs every file below `dir`, and tells sizes and checksums by relative path. */
export async function sealTree(dir: string): Promise<Required<Pick<Marker, "files" | "sha256">>> {
  const [files, sha256]: [Record<string, number>, Record<string, string>] = [{}, {}];
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const full = path.join(entry.parentPath, entry.name);
    await syncPath(full);
    if (!entry.isFile()) continue;
    const name = path.relative(dir, full).split(path.sep).join("/");
    files[name] = (await stat(full)).size;
    sha256[name] = await digest(full, files[name]);
  }
  return { files, sha256 };
}

export async function syncPath(target: string): Promise<void> {
  // Windows cannot open folders; there the rename alone orders the writes.
  const handle = await open(target, "r").catch(() => null);
  if (!handle) return;
  try {
    await handle.sync();
  } catch (error) {
    if (!["EPERM", "EISDIR", "EINVAL", "ENOTSUP"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    await handle.close();
  }
}

async function parseMarker(dir: string): Promise<Marker> {
  return markerSchema.parse(parseOutsideJson(await readFile(path.join(dir, MARKER), "utf8")));
}

async function digest(file: string, size: number): Promise<string> {
  const hash = createHash("sha256");
  // Not a byte more than the marker says: a file may grow while it is read.
  if (size > 0) {
    for await (const chunk of createReadStream(file, { end: size - 1, highWaterMark: CHUNK_BYTES })) {
      hash.update(chunk as Buffer);
    }
  }
  return hash.digest("hex");
}
