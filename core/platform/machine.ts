import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

/** What a platform looks at to find its chip: system files, variables, and the vendor's tools. Looking leaves no trace. */
export interface Machine {
  readonly os: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a file or folder is there, by its absolute path. */
  exists(file: string): boolean;
  /** Whether this process may read and write it. */
  mayUse(file: string): boolean;
  /** Trimmed text of a file; null where it cannot be read. */
  read(file: string): string | null;
  /** Names in a folder, sorted; none where it cannot be read. */
  list(folder: string): readonly string[];
  /** Runs a tool found in PATH or in the usual folders, with a deadline. */
  run(tool: string, args: readonly string[]): Promise<ToolResult>;
}

export type ToolResult =
  | { readonly status: "ok"; readonly output: string }
  | { readonly status: "absent" }
  /** It ran and failed, or did not end in time. */
  | { readonly status: "failed"; readonly reason: string };

export interface MachineOptions {
  /** Folder that stands for `/`: for tests. */
  readonly root?: string;
  readonly os?: NodeJS.Platform;
  /** Default: `process.env` as it is at the time of asking. */
  readonly env?: Machine["env"];
}

const TOOL_DEADLINE_MS = 10_000;
const TOOL_FOLDERS = ["/usr/bin", "/usr/local/bin", "/usr/local/cuda/bin", "/usr/lib/wsl/lib", "/opt/rocm/bin"];

/** This machine. */
export function openMachine({ root = "", os = process.platform, env }: MachineOptions = {}): Machine {
  const at = (file: string) => path.join(root, file);
  const machine = {
    os,
    get env() {
      return env ?? process.env;
    },
    exists: (file: string) => fs.existsSync(at(file)),
    mayUse: (file: string) => succeeds(() => fs.accessSync(at(file), fs.constants.R_OK | fs.constants.W_OK)),
    read(file: string) {
      try {
        return fs.readFileSync(at(file), "utf8").trim();
      } catch {
        return null;
      }
    },
    list(folder: string) {
      try {
        return fs.readdirSync(at(folder)).sort(byNumber);
      } catch {
        return [];
      }
    },
    async run(tool: string, args: readonly string[]): Promise<ToolResult> {
      const folders = [...(machine.env.PATH?.split(path.delimiter) ?? []), ...(os === "win32" ? [] : TOOL_FOLDERS)];
      const name = os === "win32" ? `${tool}.exe` : tool;
      const found = folders.map((folder) => at(path.join(folder, name))).find((file) => fs.existsSync(file));
      return found ? runTool(found, args) : { status: "absent" };
    },
  };
  return machine;
}

async function runTool(file: string, args: readonly string[]): Promise<ToolResult> {
  try {
    const options = { timeout: TOOL_DEADLINE_MS, killSignal: "SIGKILL" } as const;
    const { stdout } = await promisify(execFile)(file, [...args], options);
    return { status: "ok", output: stdout.trim() };
  } catch (error) {
    const { killed, stdout, stderr, message } = error as Error & { killed?: boolean; stdout?: string; stderr?: string };
    if (killed) return { status: "failed", reason: `it did not end within ${TOOL_DEADLINE_MS / 1000} s` };
    const said = `${stderr ?? ""}\n${stdout ?? ""}`.split("\n").find((line) => line.trim() !== "");
    return { status: "failed", reason: (said ?? message).trim() };
  }
}

function succeeds(body: () => void): boolean {
  try {
    body();
    return true;
  } catch {
    return false;
  }
}

const byNumber = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });
