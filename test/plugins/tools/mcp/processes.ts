import { readdir, readFile } from "node:fs/promises";

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Ids of the processes whose command line holds this; none where the system has no `/proc`. */
export async function processesWith(marker: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    if (line.includes(marker)) found.push(name);
  }
  return found;
}
