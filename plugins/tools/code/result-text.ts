import type { SandboxLimits, SandboxResult } from "../../../core/plugin.js";

/** What the model reads of a program's end: how it ended, then what it wrote. */
export function resultText(result: SandboxResult, limits: Partial<SandboxLimits>): string {
  const { stdout, stderr, truncated } = result;
  const parts = [
    endOf(result, limits),
    ...(stdout === "" ? [] : [`stdout${truncated.stdout ? " (cut off)" : ""}:\n${stdout.trimEnd()}`]),
    ...(stderr === "" ? [] : [`stderr${truncated.stderr ? " (cut off)" : ""}:\n${stderr.trimEnd()}`]),
  ];
  return parts.join("\n");
}

function endOf({ outcome, exitCode, signal }: SandboxResult, { wallMs, memoryMiB }: Partial<SandboxLimits>): string {
  switch (outcome) {
    case "timeout":
      return `stopped: the program took too long${wallMs === undefined ? "" : ` (limit ${wallMs / 1000} s)`}`;
    case "memory":
      return `stopped: the program used too much memory${memoryMiB === undefined ? "" : ` (limit ${memoryMiB} MiB)`}`;
    case "output-limit":
      return "stopped: the program printed too much";
    case "compile-error":
      return "the program does not compile";
    case "signal":
      return `ended by ${signal ?? "a signal"}`;
    case "ok":
    case "exit":
      return `exit code ${exitCode ?? 0}`;
  }
}
