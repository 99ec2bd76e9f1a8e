import { appendFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import {
  type PlannedRun,
  type RunInfo,
  requireWritableFolder,
  type Tracker,
  type TrackerFactory,
} from "verl-ts/plugin";

/** Writes one line of text per step, `step name=value …`, into the run's folder. A real one sends them somewhere. */
class TextTracker implements Tracker {
  readonly name = "__SHORT__";
  #file: string | null = null;
  #isNew = false;

  /** Before models are loaded: what would stop the run later is best said now. A real one looks at its variables, too. */
  async check(run: PlannedRun): Promise<void> {
    await requireWritableFolder(run.outputDir);
  }

  async start(run: RunInfo): Promise<void> {
    this.#file = path.join(run.outputDir, "__SHORT__.txt");
    this.#isNew = run.startStep === 0;
    await mkdir(run.outputDir, { recursive: true });
  }

  /** Every tracker has started: now the file of an earlier run may go. A resumed run goes on where it stopped. */
  async begin(): Promise<void> {
    if (this.#file !== null && this.#isNew) await writeFile(this.#file, "");
  }

  async log(metrics: Readonly<Record<string, number>>, step: number): Promise<void> {
    if (this.#file === null) throw new TypeError("the tracker __SHORT__ was used before start()");
    const values = Object.entries(metrics).map(([name, value]) => `${name}=${value}`);
    await appendFile(this.#file, `${[step, ...values].join(" ")}\n`);
  }

  /** Called once, however the run ended: flush and close what is open. */
  finish(): void {
    this.#file = null;
  }
}

export const tracker: TrackerFactory = { name: "__SHORT__", create: () => new TextTracker() };
