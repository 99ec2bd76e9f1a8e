import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { constants, type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isVerlError, reasonOf } from "../../host/errors.js";
import { formatErrors } from "../errors.js";
import type { HubClient, HubFile } from "./hub-client.js";

export interface DownloadOptions {
  readonly signal?: AbortSignal;
  /** Pauses before further attempts, in milliseconds. */
  readonly retryDelaysMs?: readonly number[];
}

const RETRY_DELAYS_MS = [1000, 4000, 10_000];

/**
 * Bring a file's content to `blob`, which gets its name when size and digest are right. What an earlier attempt left in
 * `blob.incomplete` is continued. Two processes may do this at once: they write the same bytes to the same places.
 */
export async function downloadFile(
  client: HubClient,
  { repo, commit, file, blob }: { repo: string; commit: string; file: HubFile; blob: string },
  { signal, retryDelaysMs = RETRY_DELAYS_MS }: DownloadOptions = {},
): Promise<void> {
  const incomplete = `${blob}.incomplete`;
  for (let attempt = 0; ; attempt++) {
    try {
      await fetchInto(incomplete, client, repo, commit, file);
      await verify(incomplete, file, repo);
      return await rename(incomplete, blob);
    } catch (error) {
      signal?.throwIfAborted();
      // Another process was faster.
      if (await exists(blob)) return;
      const mayPass = isVerlError(error) && RETRIED.has(error.code);
      if (!mayPass || attempt >= retryDelaysMs.length) throw error;
      await sleep(retryDelaysMs[attempt], undefined, { signal });
    }
  }
}

const RETRIED: ReadonlySet<string> = new Set(["VERL_FORMATS_HUB_UNREACHABLE", "VERL_FORMATS_HUB_DAMAGED"]);

async function fetchInto(path: string, client: HubClient, repo: string, commit: string, file: HubFile): Promise<void> {
  const held = await sizeOf(path);
  if (held === file.size && held > 0) return;
  if (held > file.size) await rm(path);
  const { start, pieces } = await client.content(repo, commit, file, held < file.size ? held : 0);
  // Not emptied: another process may be writing the same.
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT);
  try {
    await writePieces(handle, pieces, [start, file.size], client, repo);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What goes beyond the size is wrong, and is not waited for. */
async function writePieces(
  handle: FileHandle,
  pieces: AsyncGenerator<Uint8Array>,
  [start, size]: readonly [number, number],
  client: HubClient,
  repo: string,
): Promise<void> {
  try {
    for (let position = start; position <= size; ) {
      const next = await pieces.next().catch((cause) => {
        throw client.unreachable(repo, reasonOf(cause), cause);
      });
      if (next.done) return;
      for (let done = 0; done < next.value.length; ) {
        const { bytesWritten } = await handle.write(next.value, done, next.value.length - done, position);
        done += bytesWritten;
        position += bytesWritten;
      }
    }
  } finally {
    await pieces.return(undefined);
  }
}

/** A file of the wrong size may go on; one of the right size and other content starts anew. */
async function verify(path: string, { name, size, digest }: HubFile, repo: string): Promise<void> {
  const held = await sizeOf(path);
  const damaged = (what: string) => formatErrors.VERL_FORMATS_HUB_DAMAGED({ what, where: `${repo}, ${name}` });
  if (held < size) throw damaged(`${held} of ${size} bytes came`);
  const hash = createHash(digest.length === 64 ? "sha256" : "sha1");
  if (digest.length === 40) hash.update(`blob ${held}\0`);
  for await (const piece of createReadStream(path)) hash.update(piece);
  if (held === size && hash.digest("hex") === digest) return;
  await rm(path);
  throw damaged("what came is not what the Hub promises");
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
