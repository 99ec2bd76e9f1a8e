import { stat } from "node:fs/promises";
import { inspectGguf } from "./gguf-inspection.js";
import { inspectHfFolder } from "./hf-inspection.js";
import type { WeightInspection } from "./weight-inspection.js";

export { type ScanResult, scanWeights } from "./scan.js";
export type { WeightInspection, WeightProblem } from "./weight-inspection.js";

/** Looks through the files of a model, a Hugging Face folder or a GGUF file, without loading it. The caller closes it. */
export async function inspectWeights(path: string): Promise<WeightInspection> {
  const isFolder = (await stat(path)).isDirectory();
  return isFolder ? inspectHfFolder(path) : inspectGguf(path);
}
