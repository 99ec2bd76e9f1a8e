import type { ProgressUpdate, RunInfo, Tracker, TrackerFactory } from "../../../core/plugin.js";
import {
  formatDuration,
  formatNumber,
  keyMetric,
  maskNonFinite,
  reachedText,
  StepClock,
  validationScores,
} from "../../../core/tracking/index.js";
import { columnsOf, LiveLine } from "./live-line.js";
import { type Cell, fitCells, stepCells } from "./step-line.js";

/**
 * One calm line per step on the run's output, and on a terminal a live line inside the step. With `--json` one JSON object
 * per line instead: `{"event": "start" | "step", …}`.
 */
export class ConsoleTracker implements Tracker {
  readonly name = "console";
  #run: RunInfo | null = null;
  #live: LiveLine | null = null;
  readonly #startedAt = performance.now();
  #clock = new StepClock(0);
  #lastStep = 0;
  #begun = 0;
  readonly #first = new Map<string, number>();
  readonly #last = new Map<string, number>();

  start(run: RunInfo): void {
    this.#run = run;
    this.#lastStep = run.startStep;
    this.#clock = new StepClock(run.startStep);
    const { projectName, experimentName, totalSteps, startStep, outputDir } = run;
    if (run.json) {
      this.#json({ event: "start", projectName, experimentName, totalSteps, startStep, outputDir });
      return;
    }
    if (run.isTTY) this.#live = new LiveLine(run.output, totalSteps, (text) => this.#style("2", text));
    const span = startStep > 0 ? `steps ${startStep + 1} to ${totalSteps}` : stepsText(totalSteps);
    this.#print(`${this.#style("1", `${projectName}/${experimentName}`)}  ${span}, output in ${outputDir}`);
  }

  log(metrics: Readonly<Record<string, number>>, step: number): void {
    const run = this.#requireRun();
    if (run.json) {
      this.#json({ event: "step", step, totalSteps: run.totalSteps, data: maskNonFinite(metrics) });
      return;
    }
    this.#remember(metrics);
    this.#clock.mark(step, keyMetric(metrics, "stepSeconds"));
    this.#lastStep = Math.max(this.#lastStep, step);
    const eta = this.#clock.left(run.totalSteps);
    const head = `step ${String(step).padStart(String(run.totalSteps).length)}/${run.totalSteps}`;
    const cells = stepCells(metrics, eta);
    const fitting = run.isTTY ? fitCells(cells, columnsOf(run.output) - head.length) : cells;
    this.#print([this.#style("1", head), ...fitting.map((cell) => this.#cell(cell))].join("  ").trimEnd());
  }

  progress(update: ProgressUpdate): void {
    this.#begun = Math.max(this.#begun, update.step);
    this.#live?.show(update);
  }

  finish({ exitCode }: { exitCode: number }): void {
    this.#live?.clear();
    const run = this.#run;
    if (!run || run.json) return;
    const took = formatDuration((performance.now() - this.#startedAt) / 1000);
    const changes = [...this.#first].flatMap(([label, first]) => {
      const last = this.#last.get(label) as number;
      return last === first ? [] : [`${label} ${formatNumber(first)} → ${formatNumber(last)}`];
    });
    const how =
      exitCode === 0 && this.#lastStep >= run.totalSteps
        ? `done: ${stepsText(run.totalSteps)} in ${took}`
        : `ended ${reachedText({ logged: this.#lastStep, begun: this.#begun, total: run.totalSteps })} after ${took}`;
    this.#print([how, ...changes].join(", "));
  }

  /** First and last values for the closing line. */
  #remember(metrics: Readonly<Record<string, number>>): void {
    const note = (label: string, value: number | null) => {
      if (value === null || !Number.isFinite(value)) return;
      if (!this.#first.has(label)) this.#first.set(label, value);
      this.#last.set(label, value);
    };
    note("reward", keyMetric(metrics, "reward"));
    const scores = validationScores(Object.keys(metrics));
    for (const { name, dataSource } of scores) note(scores.length > 1 ? `val ${dataSource}` : "val", metrics[name]);
  }

  #cell({ label, text, bad }: Cell): string {
    const value = bad ? this.#style("31", text) : text;
    return label ? `${this.#style("2", label)} ${value}` : value;
  }

  #style(code: string, text: string): string {
    return this.#run?.color ? `\u001b[${code}m${text}\u001b[0m` : text;
  }

  #print(line: string): void {
    this.#live?.clear();
    this.#requireRun().output.write(`${line}\n`);
  }

  #json(event: object): void {
    this.#requireRun().output.write(`${JSON.stringify(event)}\n`);
  }

  #requireRun(): RunInfo {
    if (!this.#run) throw new TypeError("the console tracker was used before start()");
    return this.#run;
  }
}

const stepsText = (steps: number): string => `${steps} ${steps === 1 ? "step" : "steps"}`;

export const consoleTracker: TrackerFactory = {
  name: "console",
  showsOnly: true,
  create: () => new ConsoleTracker(),
};
