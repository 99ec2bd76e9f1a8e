/** The process that reads fuzzed inputs, one at a time; {@link ./watched-child.ts} starts it and watches it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Measured, type Outcome, outcomeOfError } from "./outcome.js";
import { findReader } from "./readers/index.js";

export interface ReadRequest {
  readonly reader: string;
  readonly input: Uint8Array;
}

const root = mkdtempSync(path.join(os.tmpdir(), "verl-fuzz-"));
const folder = path.join(root, "input");
let stray: unknown;
process.on("unhandledRejection", (error) => {
  stray = error;
});
process.on("exit", () => rmSync(root, { recursive: true, force: true }));
process.on("disconnect", () => process.exit());
process.on("message", async (request: ReadRequest) => process.send?.(await measure(request)));
process.send?.("ready");

async function measure({ reader: name, input }: ReadRequest): Promise<Measured> {
  const reader = findReader(name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  stray = undefined;
  const before = resetPeak();
  const start = process.cpuUsage();
  let outcome: Outcome;
  try {
    await reader.read(input, folder);
    outcome = { kind: "result" };
  } catch (error) {
    outcome = outcomeOfError(error, reader.wrapsLibrary ?? false);
  }
  await nextTurn();
  if (stray !== undefined) outcome = { kind: "fault", what: `left an unhandled rejection behind: ${String(stray)}` };
  const { user, system } = process.cpuUsage(start);
  return { ...outcome, cpuMs: (user + system) / 1000, bytes: peak() - before };
}

/** Resident memory now, from which the peak counts anew. Elsewhere than on Linux the peak is that of the process's whole life. */
function resetPeak(): number {
  if (process.platform === "linux") writeFileSync("/proc/self/clear_refs", "5");
  return peak();
}

function peak(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS * 1024;
  return Number(/VmHWM:\s*(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024;
}
