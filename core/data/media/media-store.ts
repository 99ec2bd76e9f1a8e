import { createHash } from "node:crypto";
import { open, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { isVerlError, reasonOf } from "../../host/errors.js";
import type { CallOptions } from "../../host/types.js";
import { dataErrors } from "../errors.js";
import type { MediaKind, MediaReader, MediaRef } from "./media.js";
import { MAX_MEDIA_BYTES, mediaFormat } from "./media-format.js";
import type { MediaSource } from "./media-source.js";

export interface TakeOptions extends CallOptions {
  /** Folder that paths start at and may not leave. Without it no file is read, for whoever names it may be anybody. */
  readonly root?: string;
  /** The row that names the medium, for messages. */
  readonly origin?: string;
  /** `run` (default): held to the end. `step`: until {@link MediaStore.release}, as what tools return. */
  readonly keep?: "run" | "step";
}

interface Held {
  readonly ref: MediaRef;
  /** Null for a file, which is read again when it is asked for. */
  readonly bytes: Uint8Array | null;
  readonly file: string | null;
  /** Of the first row that named it. */
  readonly origin?: string;
  keep: "run" | "step";
}

/**
 * The media of a run by their content: each is held once, however many rows and trajectories name it. What came from a file
 * stays there; a file that has changed since is an error.
 */
export class MediaStore implements MediaReader {
  readonly #held = new Map<string, Held>();
  readonly #files = new Map<string, Promise<MediaRef>>();

  /** @throws VERL_DATA_MEDIA for what cannot be read, is too large, or of another kind */
  async take(kind: MediaKind, source: MediaSource, options: TakeOptions = {}): Promise<MediaRef> {
    options.signal?.throwIfAborted();
    if ("id" in source) return this.#known(kind, source.id);
    const { keep = "run", origin } = options;
    if ("bytes" in source) return this.#add(kind, source.bytes, { file: null, keep, origin });
    if (options.root === undefined) throw bad(`the ${kind} names a file, and files are not read here`);
    const file = await within(options.root, source.path, kind);
    const key = `${kind}:${file}`;
    const reading = this.#files.get(key) ?? this.#read(kind, file, origin);
    this.#files.set(key, reading);
    reading.catch(() => this.#files.delete(key));
    return reading;
  }

  /** A reference to what is held under this id, in whatever kind it was taken; null for anything else. */
  find(id: string): MediaRef | null {
    return this.#held.get(id)?.ref ?? null;
  }

  /** Where a medium came from, for messages: its file, and the first row that named it. */
  placeOf(id: string): string | undefined {
    const { file = null, origin } = this.#held.get(id) ?? {};
    return [file, origin].filter(Boolean).join(", ") || undefined;
  }

  async bytes({ id }: Pick<MediaRef, "id">, { signal }: CallOptions = {}): Promise<Uint8Array> {
    signal?.throwIfAborted();
    const held = this.#held.get(id);
    if (!held) throw bad(`nothing is held of the medium ${id.slice(0, 8)} any more`);
    if (held.bytes) return held.bytes;
    const bytes = await readBounded(held.file as string, held.ref.kind);
    if (digest(bytes) === id) return bytes;
    throw bad(`the file of the ${held.ref.kind} has changed since the run began`, this.placeOf(id));
  }

  /** Lets go of media that were taken for a step: nobody names them any more. Returns how many there were. */
  release(): number {
    const left = [...this.#held].filter(([, { keep }]) => keep === "step");
    for (const [id] of left) this.#held.delete(id);
    return left.length;
  }

  #known(kind: MediaKind, id: string): MediaRef {
    const ref = this.find(id);
    if (!ref) {
      throw bad(
        `the reference sha256:${id.slice(0, 8)}… names nothing that was taken in; what \`verl generate\` prints names media, and \`generate --output FILE\` keeps them beside the file`,
      );
    }
    if (ref.kind !== kind)
      throw bad(`the reference sha256:${id.slice(0, 8)}… names a medium of the kind ${ref.kind}, not ${kind}`);
    return ref;
  }

  async #read(kind: MediaKind, file: string, origin?: string): Promise<MediaRef> {
    return this.#add(kind, await readBounded(file, kind), { file, keep: "run", origin });
  }

  #add(kind: MediaKind, bytes: Uint8Array, { file, keep, origin }: Pick<Held, "file" | "keep" | "origin">): MediaRef {
    const format = mediaFormat(bytes, kind);
    if ("problem" in format) throw bad(`the ${kind} cannot be used: ${format.problem}`, file ?? undefined);
    const id = digest(bytes);
    const known = this.#held.get(id);
    if (known && known.ref.kind !== kind) {
      // References go by content: one of them would stand for the other.
      throw bad(
        `the ${kind} ${id.slice(0, 8)} is shown as a medium of the kind ${known.ref.kind}, too: one file has one kind in a run`,
        file ?? known.file ?? undefined,
      );
    }
    if (known) {
      if (keep === "run") known.keep = "run";
      return known.ref;
    }
    const { mimeType, width, height } = format;
    const size = width === undefined ? {} : { width, height };
    const ref: MediaRef = { kind, id, mimeType, byteLength: bytes.byteLength, ...size };
    this.#held.set(id, { ref, bytes: file === null ? bytes : null, file, keep, origin });
    return ref;
  }
}

/** The file that a path names, which must lie in the root, links followed. */
async function within(root: string, name: string, kind: MediaKind): Promise<string> {
  const wanted = path.resolve(root, name);
  try {
    const [base, file] = await Promise.all([realpath(root), realpath(wanted)]);
    const inside = path.relative(base, file);
    if (inside !== ".." && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside)) return file;
  } catch (error) {
    throw bad(`the file of the ${kind} cannot be read: ${withoutPath(error)}`, wanted);
  }
  throw bad(
    `the file of the ${kind} lies outside of ${root}, the folder that media may be in (data.media_root)`,
    wanted,
  );
}

/** At most {@link MAX_MEDIA_BYTES}, also of a file that grows while it is read. */
async function readBounded(file: string, kind: MediaKind): Promise<Uint8Array> {
  try {
    // Before it is opened: a pipe would be waited for without end.
    if (!(await stat(file)).isFile()) throw bad(`the ${kind} is no file`, file);
    await using handle = await open(file, "r");
    const { size } = await handle.stat();
    if (size > MAX_MEDIA_BYTES) {
      throw bad(`the ${kind} cannot be used: it has ${size} bytes, more than ${MAX_MEDIA_BYTES}`, file);
    }
    const bytes = new Uint8Array(size);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } catch (error) {
    if (isVerlError(error)) throw error;
    throw bad(`the file of the ${kind} cannot be read: ${withoutPath(error)}`, file);
  }
}

/** The system's reason; the file is named beside it. */
const withoutPath = (error: unknown): string => reasonOf(error).replace(/, \w+ '.*$/s, "");

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Names that are longer are no names. */
const MAX_SHOWN = 500;

const bad = (what: string, where?: string) =>
  dataErrors.VERL_DATA_MEDIA({
    what,
    where: where !== undefined && where.length > MAX_SHOWN ? `${where.slice(0, MAX_SHOWN)}…` : where,
  });
