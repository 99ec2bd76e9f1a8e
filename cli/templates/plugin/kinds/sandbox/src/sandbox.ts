import {
  composeSandbox,
  type Program,
  type SandboxBackend,
  type SandboxFactory,
  type SandboxResult,
} from "verl-ts/plugin";
import { evaluate } from "./sums.js";

/**
 * Runs `sums`: a program is lines of sums, `(1 + 2) * 3`, whose values are printed. There is nothing in that language that could reach
 * out of it. One that runs real programs starts them in a container, or asks a service; `composeSandbox` checks requests, bounds
 * how many run at a time, and ends them on an abort, through the signal.
 */
const sums: SandboxBackend = {
  name: "__SHORT__",
  languages: ["sums"],
  async execute({ code, limits }: Program, signal: AbortSignal): Promise<SandboxResult> {
    signal.throwIfAborted();
    const started = performance.now();
    const result = (over: Partial<SandboxResult>): SandboxResult => ({
      outcome: "ok",
      exitCode: 0,
      signal: null,
      stdout: "",
      stderr: "",
      truncated: { stdout: false, stderr: false },
      wallMs: performance.now() - started,
      cpuMs: null,
      files: {},
      ...over,
    });
    let stdout = "";
    for (const line of code.split("\n")) {
      if (line.trim() === "") continue;
      if (performance.now() - started > limits.wallMs) return result({ outcome: "timeout", exitCode: null, stdout });
      const value = evaluate(line);
      // Whatever a program does is a result, and no error.
      if (typeof value !== "number")
        return result({ outcome: "exit", exitCode: 1, stdout, stderr: `${value.problem}\n` });
      stdout += `${value}\n`;
      if (stdout.length <= limits.outputBytes) continue;
      const cut = { stdout: stdout.slice(0, limits.outputBytes), truncated: { stdout: true, stderr: false } };
      return result({ outcome: "output-limit", exitCode: null, ...cut });
    }
    return result({ stdout });
  },
};

export const sandbox: SandboxFactory = {
  name: "__SHORT__",
  mechanism: "an interpreter of sums, which knows nothing but numbers",
  // A real one looks for its container or service here, and says what is missing: there is no weaker fallback.
  probe: async () => ({ available: true, languages: sums.languages }),
  create: (options) => composeSandbox(sums, options),
};
