import { reasonOf } from "../host/errors.js";
import { parseOutsideJson } from "../host/util/outside-json.js";
import { isObject } from "../host/util/plain-object.js";
import { shown } from "../host/util/shown.js";
import { formatErrors } from "./errors.js";
import type { RandomAccessFile } from "./random-access-file.js";

/** Bits per element of every type that the format defines; not all of them can be read as numbers here. */
const BITS = {
  BOOL: 8,
  U8: 8,
  I8: 8,
  F8_E5M2: 8,
  F8_E4M3: 8,
  F8_E8M0: 8,
  I16: 16,
  U16: 16,
  F16: 16,
  BF16: 16,
  I32: 32,
  U32: 32,
  F32: 32,
  C64: 64,
  F64: 64,
  I64: 64,
  U64: 64,
} as const;

export type SafetensorsDType = keyof typeof BITS;

/** Where a tensor lies in its file. */
export interface SafetensorsEntry {
  readonly name: string;
  readonly dtype: SafetensorsDType;
  readonly shape: readonly number[];
  /** Absolute byte range in the file. */
  readonly begin: number;
  readonly end: number;
}

export interface SafetensorsHeader {
  readonly entries: ReadonlyMap<string, SafetensorsEntry>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The reference implementation's limit. */
const MAX_HEADER_BYTES = 100_000_000;
const MAX_RANK = 32;

/** What Git leaves in place of a large file where its LFS extension is not installed. */
const LFS_POINTER = "version https://git-lfs";

/**
 * Read and check the header: its length, JSON, types, that every tensor's bytes equal dtype x shape, and that the tensors
 * cover the data without holes or overlaps up to the end of the file, as the format demands.
 */
export async function readSafetensorsHeader(file: RandomAccessFile): Promise<SafetensorsHeader> {
  const bad = (what: string, why?: string) =>
    formatErrors.VERL_FORMATS_SAFETENSORS_INVALID({ what, where: file.path, why });

  if (file.size < 8) throw bad(`the file has ${file.size} bytes, fewer than the 8 of a header length`);
  const prefix = await file.bytes(0, 8);
  const headerBytes = new DataView(prefix.buffer).getBigUint64(0, true);
  if (headerBytes > BigInt(MAX_HEADER_BYTES)) {
    const begin = new TextDecoder().decode(await file.bytes(0, Math.min(file.size, LFS_POINTER.length)));
    if (begin === LFS_POINTER) {
      throw formatErrors.VERL_FORMATS_SAFETENSORS_INVALID({
        what: "the file is a pointer of Git LFS in place of the weights",
        where: file.path,
        fix: "Run `git lfs install` and `git lfs pull` in the model's folder.",
      });
    }
    throw bad(`the header claims ${headerBytes} bytes`, `the limit is ${MAX_HEADER_BYTES}; this is not safetensors`);
  }
  const dataStart = 8 + Number(headerBytes);
  if (dataStart > file.size) {
    throw bad(`the header claims ${headerBytes} bytes, but the file has ${file.size} in all`, "the file is cut off");
  }
  let json: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.bytes(8, Number(headerBytes)));
    json = parseOutsideJson(text);
  } catch (cause) {
    throw bad("the header is not JSON", reasonOf(cause));
  }
  if (!isObject(json)) throw bad("the header is not a JSON object");

  let metadata: Readonly<Record<string, string>> = {};
  const entries: SafetensorsEntry[] = [];
  for (const [name, value] of Object.entries(json)) {
    if (name === "__metadata__") {
      if (!isTexts(value)) throw bad("__metadata__ is not an object of texts");
      metadata = value;
      continue;
    }
    entries.push(parseEntry(name, value, dataStart, bad));
  }
  checkCoverage(entries, dataStart, file.size, bad);
  return { entries: new Map(entries.map((entry) => [entry.name, entry])), metadata };
}

type Refuse = (what: string, why?: string) => Error;

function parseEntry(name: string, value: unknown, dataStart: number, bad: Refuse): SafetensorsEntry {
  if (!isObject(value)) throw bad(`tensor "${name}": its entry is not an object`);
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== "string" || !Object.hasOwn(BITS, dtype)) {
    throw bad(`tensor "${name}": unknown dtype ${shown(dtype)}`);
  }
  if (!Array.isArray(shape) || shape.length > MAX_RANK || !shape.every(isCount)) {
    throw bad(`tensor "${name}": shape ${shown(shape)} is not a list of non-negative integers`);
  }
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount)) {
    throw bad(`tensor "${name}": data_offsets ${shown(offsets)} are not two non-negative integers`);
  }
  const bytes = (shape.reduce((product, size) => product * size, 1) * BITS[dtype as SafetensorsDType]) / 8;
  const [begin, end] = offsets;
  if (end - begin !== bytes) {
    throw bad(
      `tensor "${name}": data_offsets [${begin}, ${end}] hold ${end - begin} bytes, but ${dtype} [${shape.join(", ")}] needs ${bytes}`,
    );
  }
  return { name, dtype: dtype as SafetensorsDType, shape, begin: dataStart + begin, end: dataStart + end };
}

function checkCoverage(entries: readonly SafetensorsEntry[], dataStart: number, size: number, bad: Refuse): void {
  let position = dataStart;
  let previous = "the header";
  for (const { name, begin, end } of [...entries].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (end > size) {
      throw bad(`tensor "${name}" ends at byte ${end}, but the file has ${size}`, "the file is cut off");
    }
    if (begin < position) throw bad(`tensor "${name}" overlaps ${previous}`);
    if (begin > position)
      throw bad(`${begin - position} bytes between ${previous} and tensor "${name}" belong to none`);
    position = end;
    previous = `tensor "${name}"`;
  }
  if (position !== size) throw bad(`${size - position} bytes after ${previous} belong to no tensor`);
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((item) => typeof item === "string");
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
