import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";

/** Time of operators, in seconds, from all runs of some graphs. */
export interface OperatorTimes {
  readonly purpose: string;
  seconds: number;
  /** By part of the model and direction, e.g. `attention backward`. */
  readonly parts: Map<string, number>;
  /** By kind of operator, e.g. `Gemm`. */
  readonly kinds: Map<string, number>;
}

/** What onnxruntime appends to the name of an operator for the time of its kernel. */
const KERNEL = "_kernel_time";
/** Their bodies' operators have events of their own. */
const CONTAINERS = new Set(["Loop", "If", "Scan"]);

interface Event {
  readonly cat: string;
  readonly name: string;
  /** Microseconds. */
  readonly dur: number;
  readonly args?: { readonly op_name?: string };
}

/** Sums up the traces in a folder, by what they are of. Traces grow large, so they are read line by line. */
export async function operatorTimes(folder: string): Promise<OperatorTimes[]> {
  const totals = new Map<string, OperatorTimes>();
  for (const file of (await readdir(folder)).filter((name) => name.endsWith(".json")).sort()) {
    const purpose = file.slice(0, file.indexOf("-"));
    const times = totals.get(purpose) ?? { purpose, seconds: 0, parts: new Map(), kinds: new Map() };
    totals.set(purpose, times);
    for await (const line of createInterface({ input: createReadStream(path.join(folder, file)) })) {
      if (line.includes(KERNEL)) add(times, JSON.parse(line.trim().replace(/,$/, "")) as Event);
    }
  }
  return [...totals.values()];
}

function add(times: OperatorTimes, { cat, name, dur, args }: Event): void {
  const kind = args?.op_name;
  if (cat !== "Node" || kind === undefined || CONTAINERS.has(kind) || !name.endsWith(KERNEL)) return;
  const seconds = dur / 1e6;
  const slash = name.indexOf("/");
  const part = slash > 0 ? name.slice(0, slash) : "other";
  times.seconds += seconds;
  times.parts.set(part, (times.parts.get(part) ?? 0) + seconds);
  times.kinds.set(kind, (times.kinds.get(kind) ?? 0) + seconds);
}
