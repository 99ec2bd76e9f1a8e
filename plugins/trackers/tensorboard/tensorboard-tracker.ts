import { createHash } from "node:crypto";
import path from "node:path";
import type {
  JsonValue,
  PlannedRun,
  RunInfo,
  Tracker,
  TrackerOptions,
  TrajectoryRecord,
} from "../../../core/plugin.js";
import { GENERATIONS, generationRows } from "../generation-rows.js";
import { checkPlace } from "../place.js";
import { EventFile } from "./event-file.js";
import { scalarsEvent, sessionEndEvent, sessionStartEvent, textEvent } from "./events.js";

/**
 * Event files for TensorBoard in `TENSORBOARD_DIR`, else in `tensorboard_log/{project}/{experiment}` (of a run that is over, its `outputDir`): scalars, the configuration
 * as a text and as hyperparameters, and validation samples where `trainer.log_val_generations` asks for them. Every step is
 * on the disk when `log` returns.
 */
export class TensorBoardTracker implements Tracker {
  readonly name = "tensorboard";
  #run: RunInfo | null = null;
  #file: EventFile | null = null;
  #step = 0;

  constructor(private readonly options: TrackerOptions) {}

  async check(run: PlannedRun): Promise<void> {
    await checkPlace({ tracker: this.name, folder: this.#folderOf(run), chosenBy: "TENSORBOARD_DIR" });
  }

  async start(run: RunInfo): Promise<void> {
    await this.check(run);
    this.#run = run;
  }

  /** Takes the files of an earlier run away, or cuts them to what this one goes on from. */
  async begin(): Promise<void> {
    const run = this.#run;
    if (!run) throw new TypeError("the tracker tensorboard was used before start()");
    if (this.#file) return;
    const { projectName, experimentName, outputDir, startStep, logsStartStepAgain, config } = run;
    this.#file = await EventFile.open({
      folder: this.#folderOf(run),
      id: createHash("sha256").update([projectName, experimentName, outputDir].join("\n")).digest("hex").slice(0, 8),
      keepBelow: startStep === 0 ? 0 : logsStartStepAgain ? startStep : startStep + 1,
    });
    this.#step = startStep;
    const at = { step: startStep, time: new Date() };
    const events = [textEvent(at, "config", [[codeBlock(JSON.stringify(config, null, 2))]])];
    // Of hyperparameters TensorBoard shows the first that a run has.
    if (!this.#file.continues) events.push(sessionStartEvent({ ...at, step: 0 }, experimentName, flat(config)));
    await this.#file.append(events);
  }

  async log(metrics: Readonly<Record<string, number>>, step: number, time = new Date()): Promise<void> {
    this.#step = step;
    await (await this.#opened()).append([scalarsEvent({ step, time }, metrics)]);
  }

  async logTrajectories(records: readonly TrajectoryRecord[], step: number, time = new Date()): Promise<void> {
    if (!this.options.settings?.valGenerations) return;
    const rows = generationRows(records).map(({ input, output, gts, score }) => [
      codeBlock(input),
      codeBlock(output),
      codeBlock(gts),
      score === null ? "" : String(score),
    ]);
    if (rows.length === 0) return;
    const head = ["**input**", "**output**", "**ground truth**", "**score**"];
    await (await this.#opened()).append([textEvent({ step, time }, GENERATIONS, [head, ...rows])]);
  }

  async finish({ exitCode }: { exitCode: number }): Promise<void> {
    const file = this.#file;
    this.#run = this.#file = null;
    if (!file) return;
    try {
      await file.append([sessionEndEvent({ step: this.#step, time: new Date() }, exitCode === 0)]);
    } finally {
      await file.close();
    }
  }

  async #opened(): Promise<EventFile> {
    await this.begin();
    return this.#file as EventFile;
  }

  #folderOf({ projectName, experimentName, isOver, outputDir }: PlannedRun): string {
    const usual = isOver ? outputDir : path.join("tensorboard_log", projectName, experimentName);
    return path.resolve(this.options.env.TENSORBOARD_DIR || usual);
  }
}

/** In Markdown, where TensorBoard shows texts as that: what a model wrote is shown as it is. */
const codeBlock = (text: string): string => text.replace(/^/gm, "    ");

/** Values by their full keys; null and empty ones say nothing. */
function flat(value: JsonValue, key = "", into = new Map<string, JsonValue>()): Map<string, JsonValue> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    for (const [name, item] of Object.entries(value)) flat(item as JsonValue, key ? `${key}.${name}` : name, into);
  } else if (value !== null && !(Array.isArray(value) && value.length === 0)) into.set(key, value);
  return into;
}
