import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Project } from "./project.js";

const main = fileURLToPath(new URL("./host-main.js", import.meta.url));

export interface HostEnd {
  readonly status: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

/** Runs a host in a process of its own and returns how it ended. */
export async function runHost(project: Project, modules: string, env: Record<string, string> = {}): Promise<HostEnd> {
  const child = spawn(process.execPath, [main], {
    cwd: project.dir,
    env: { ...process.env, VERL_USE_EXTERNAL_MODULES: modules, ...env },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 60_000,
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [status, signal] = (await once(child, "exit")) as [number | null, string | null];
  return { status, signal, stderr };
}
