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

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** What a process has started, and what that has; none where the system has no `/proc`. */
export async function descendantsOf(pid: number): Promise<RunningProcess[]> {
  const all: RunningProcess[] = [];
  for (const name of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    const command = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    // The program's name stands in brackets, and may hold some.
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    all.push({ pid: Number(name), parent, command });
  }
  const found = new Set([pid]);
  const isNew = (one: RunningProcess) => found.has(one.parent) && !found.has(one.pid);
  for (let next = all.find(isNew); next; next = all.find(isNew)) found.add(next.pid);
  return all.filter((one) => found.has(one.pid) && one.pid !== pid);
}
