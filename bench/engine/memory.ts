import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parameterSpecs, parseModelConfig } from "../../core/formats/index.js";
import { PythonProcess } from "../python-process.js";
import { paddedForm, type Workload } from "./workload.js";

/** Resident memory of a process in MiB: after its libraries were loaded, and at its highest. */
export interface ProcessMemory {
  readonly imported: number;
  readonly peak: number;
}

export interface MemoryReport {
  readonly workload: string;
  readonly threads: number;
  readonly onnx: ProcessMemory;
  readonly torch: ProcessMemory | null;
  /** Of peak above import, ours to PyTorch's. */
  readonly ratio: number | null;
}

/** Peak memory of a few training steps above what loading the libraries takes, in processes of their own; Linux. */
export async function measureMemory(
  { name, config, batch }: Workload,
  threads: number,
  steps: number,
  python: string | undefined,
): Promise<MemoryReport> {
  const script = fileURLToPath(new URL("./memory-process.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, name, String(threads), String(steps)]);
  const onnx = JSON.parse(stdout) as ProcessMemory;
  if (python === undefined) return { workload: name, threads, onnx, torch: null, ratio: null };
  const torchProcess = await PythonProcess.start(python, "engine/torch_engine.py");
  try {
    const shapes = Object.fromEntries(parameterSpecs(parseModelConfig(config)).map((spec) => [spec.name, spec.shape]));
    await torchProcess.call({ do: "load", threads, config, shapes, ...paddedForm(batch) });
    await torchProcess.call({ do: "step", repeats: steps });
    const torch = await torchProcess.call<ProcessMemory>({ do: "memory" });
    return { workload: name, threads, onnx, torch, ratio: above(onnx) / above(torch) };
  } finally {
    torchProcess.stop();
  }
}

const above = ({ imported, peak }: ProcessMemory) => peak - imported;

export function describeMemory({ workload, threads, onnx, torch, ratio }: MemoryReport): string {
  const side = (name: string, memory: ProcessMemory) =>
    `${name} ${above(memory).toFixed(0)} MiB (${memory.imported.toFixed(0)} to ${memory.peak.toFixed(0)})`;
  const other = torch ? `, ${side("PyTorch", torch)}, ratio ${ratio?.toFixed(2)}` : "";
  return `${workload}, ${threads} ${threads === 1 ? "thread" : "threads"}: ${side("ONNX", onnx)}${other}`;
}
