import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { OrtPackage } from "./locate.js";

export interface SelfTestVerdict {
  readonly trusted: boolean;
  readonly reason: string;
}

/** Raise when the test changes, so that old verdicts do not count. */
const TEST_REVISION = 4;

/** What a verdict holds for: this test, this library, this Node, this kind of machine. */
export async function selfTestKey(located: OrtPackage, kind: string): Promise<string> {
  const library = located.libraryPath ? await libraryHash(located.libraryPath) : "none";
  const koffi = kind === "capi" ? await koffiVersion() : "";
  const machine = [process.platform, process.arch, process.versions.node];
  const parts = [TEST_REVISION, kind, koffi, located.version, ...machine, library];
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 32);
}

export async function readVerdict(key: string): Promise<SelfTestVerdict | null> {
  try {
    return JSON.parse(await readFile(verdictFile(key), "utf8")) as SelfTestVerdict;
  } catch {
    return null;
  }
}

/** A cache that cannot be written costs the test again next time, nothing else. */
export async function writeVerdict(key: string, verdict: SelfTestVerdict): Promise<void> {
  await writeCacheFile(`${key}.json`, JSON.stringify(verdict));
}

function verdictFile(key: string): string {
  return path.join(cacheDirectory(), `${key}.json`);
}

async function koffiVersion(): Promise<string> {
  try {
    return (await import("koffi")).default.version;
  } catch {
    return "absent";
  }
}

/** SHA-256 of the library, remembered under its path, size and time of change: it is tens of megabytes. */
async function libraryHash(file: string): Promise<string> {
  const { size, mtimeMs } = await stat(file);
  const name = `library-${createHash("sha256").update(`${file}\n${size}\n${mtimeMs}`).digest("hex").slice(0, 32)}.txt`;
  try {
    return await readFile(path.join(cacheDirectory(), name), "utf8");
  } catch {
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    const digest = hash.digest("hex");
    await writeCacheFile(name, digest);
    return digest;
  }
}

async function writeCacheFile(name: string, text: string): Promise<void> {
  try {
    const directory = cacheDirectory();
    await mkdir(directory, { recursive: true });
    const temporary = path.join(directory, `${name}.${process.pid}.tmp`);
    await writeFile(temporary, text);
    await rename(temporary, path.join(directory, name));
  } catch {
    // Read-only home: nothing to remember the result in.
  }
}

function cacheDirectory(): string {
  return path.join(process.env.XDG_CACHE_HOME ?? systemCacheDirectory(), "verl-ts", "onnx");
}

function systemCacheDirectory(): string {
  if (process.platform === "win32") return process.env.LOCALAPPDATA ?? path.join(os.homedir(), "AppData", "Local");
  return path.join(os.homedir(), ...(process.platform === "darwin" ? ["Library", "Caches"] : [".cache"]));
}
