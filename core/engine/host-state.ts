import { readFile } from "node:fs/promises";
import path from "node:path";
import { writeFileAtomically } from "../formats/atomic-file.js";
import { reasonOf } from "../host/errors.js";
import { parseOutsideJson } from "../host/util/outside-json.js";
import { engineErrors } from "./errors.js";

/** The host's part of an engine checkpoint, `extra`. */
export interface HostState {
  /** Scheduler steps done. */
  readonly schedulerStep: number;
  readonly skippedUpdates: number;
}

const FILE = "engine.json";

export async function writeHostState(dir: string, state: HostState): Promise<void> {
  await writeFileAtomically(path.join(dir, FILE), (file) => file.writeFile(`${JSON.stringify(state, null, 2)}\n`));
}

export async function readHostState(dir: string): Promise<HostState> {
  const file = path.join(dir, FILE);
  try {
    const state = parseOutsideJson(await readFile(file, "utf8")) as Partial<HostState> | null;
    const { schedulerStep, skippedUpdates } = state ?? {};
    if (!isCount(schedulerStep) || !isCount(skippedUpdates)) throw new Error("its counters are not whole numbers");
    return { schedulerStep, skippedUpdates };
  } catch (cause) {
    throw engineErrors.VERL_ENGINE_BAD_CHECKPOINT({
      what: "the schedule and counters of the checkpoint could not be read",
      where: file,
      why: reasonOf(cause),
      cause,
    });
  }
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
