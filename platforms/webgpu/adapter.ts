import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Machine } from "../../core/platform/index.js";
import type { ProbeResult } from "../../core/plugin.js";

const DEADLINE_MS = 30_000;
const VULKAN_LOADERS = [
  "/usr/lib",
  "/usr/lib64",
  "/usr/local/lib",
  "/usr/lib/x86_64-linux-gnu",
  "/usr/lib/aarch64-linux-gnu",
];
const VULKAN_DRIVERS = ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"];

/**
 * Whether onnxruntime gets a WebGPU adapter here. Tried in a child process, because a driver that is broken ends the process
 * that asks; on Linux not even that where no Vulkan driver is installed.
 */
export async function findAdapter(machine: Machine): Promise<ProbeResult> {
  const missing = machine.os === "linux" ? missingVulkan(machine) : null;
  if (missing) return { status: "no", reason: missing };
  const script = fileURLToPath(new URL("./adapter-main.js", import.meta.url));
  const env = { ...machine.env } as NodeJS.ProcessEnv;
  try {
    const options = { timeout: DEADLINE_MS, killSignal: "SIGKILL", env } as const;
    const { stdout } = await promisify(execFile)(process.execPath, [script], options);
    const found = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as ProbeResult;
    return { status: found.status, reason: found.reason };
  } catch (error) {
    const { killed, signal, stderr } = error as { killed?: boolean; signal?: string; stderr?: string };
    const how = killed ? `did not answer within ${DEADLINE_MS / 1000} s` : signal ? `was ended by ${signal}` : "failed";
    const said = stderr?.split("\n").find((line) => /error/i.test(line));
    return {
      status: "unusable",
      reason: `the process that asked for an adapter ${how}${said ? `: ${said.trim()}` : ""}`,
    };
  }
}

/** Why Vulkan, on which WebGPU stands on Linux, cannot be there; null where it may be. */
function missingVulkan(machine: Machine): string | null {
  const { VK_DRIVER_FILES, VK_ICD_FILENAMES, LD_LIBRARY_PATH } = machine.env;
  const named = VK_DRIVER_FILES ?? VK_ICD_FILENAMES;
  const folders = [...(LD_LIBRARY_PATH?.split(":") ?? []), ...VULKAN_LOADERS];
  const has = (folder: string, pattern: RegExp) => machine.list(folder).some((name) => pattern.test(name));
  if (!folders.some((folder) => has(folder, /^libvulkan\.so\.1/)))
    return "the Vulkan loader (libvulkan.so.1) is not installed";
  if (named === undefined && !VULKAN_DRIVERS.some((folder) => has(folder, /\.json$/))) {
    return `no Vulkan driver is installed (no file in ${VULKAN_DRIVERS.join(", ")})`;
  }
  return null;
}
