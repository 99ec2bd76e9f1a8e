import fs from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import type { Diagnosis } from "../../core/plugin.js";

const MIN_NODE = [20, 11] as const;
const GIB = 2 ** 30;

export function nodeIsSupported(version: string): boolean {
  const [major, minor] = version.split(".").map(Number);
  return major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
}

/** Node.js, processor, memory, disk: what every run needs. */
export async function diagnoseMachine(folder: string): Promise<Diagnosis[]> {
  return [runtime(), processor(), memory(), await disk(folder)];
}

function runtime(): Diagnosis {
  const detail = `Node.js ${process.versions.node} on ${process.platform}-${process.arch}`;
  if (nodeIsSupported(process.versions.node)) return { name: "runtime", status: "ok", detail };
  return { name: "runtime", status: "failed", detail, fix: `Install Node.js ${MIN_NODE.join(".")} or newer.` };
}

function processor(): Diagnosis {
  const [cpu] = os.cpus();
  return {
    name: "processor",
    status: "ok",
    detail: `${os.availableParallelism()} threads, ${cpu?.model.trim() ?? "unknown"}`,
  };
}

/** The container's limit counts where there is one. */
function memory(): Diagnosis {
  const limit = process.constrainedMemory?.() || Number.POSITIVE_INFINITY;
  const total = Math.min(os.totalmem(), limit);
  const free = Math.max(0, Math.min(os.freemem(), total - process.memoryUsage.rss()));
  const detail = `${gib(free)} free of ${gib(total)}${limit < os.totalmem() ? " (limit of the container)" : ""}`;
  if (total >= 2 * GIB) return { name: "memory", status: "ok", detail };
  return { name: "memory", status: "warning", detail, fix: "Train small models, or add memory." };
}

/** Space where checkpoints will lie; the nearest existing folder is asked. */
async function disk(folder: string): Promise<Diagnosis> {
  let at = folder;
  for (;;) {
    try {
      const { bavail, bsize } = await fs.statfs(at);
      await fs.access(at, fs.constants.W_OK);
      const free = bavail * bsize;
      const detail = `${gib(free)} free for ${folder}`;
      if (free >= GIB) return { name: "disk", status: "ok", detail };
      return { name: "disk", status: "warning", detail, fix: "Free some space, or set trainer.default_local_dir." };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" && at !== path.dirname(at)) at = path.dirname(at);
      else
        return {
          name: "disk",
          status: "failed",
          detail: `${at} is not writable (${code})`,
          fix: "Set trainer.default_local_dir.",
        };
    }
  }
}

/** Libraries that are only installed where they are wanted. */
export function diagnoseOptionalPackages(): Diagnosis[] {
  const require = createRequire(import.meta.url);
  const { optionalDependencies = {} } = require("../../../package.json") as {
    optionalDependencies?: Record<string, string>;
  };
  return Object.entries(optionalDependencies).map(([name, wanted]) => {
    const found = installedVersion(require, name);
    if (found) return { name, status: "ok", detail: `${found} installed` };
    return { name, status: "warning", detail: "not installed", fix: `npm install --ignore-scripts ${name}@${wanted}` };
  });
}

function installedVersion(require: NodeJS.Require, name: string): string | null {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return (require(path.join(folder, name, "package.json")) as { version: string }).version;
    } catch {
      // Not in this folder: the next one.
    }
  }
  return null;
}

const gib = (bytes: number): string => `${(bytes / GIB).toFixed(1)} GiB`;
