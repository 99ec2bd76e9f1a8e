import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The processes of further ranks that a process has started. */
export async function rankPids(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,args="]);
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, ppid, ...args]) => Number(ppid) === parent && args.some((arg) => arg.endsWith("rank-main.js")))
    .map(([pid]) => Number(pid));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
