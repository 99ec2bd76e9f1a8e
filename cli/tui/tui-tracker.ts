import {
  formatDuration,
  type ProgressUpdate,
  type RunInfo,
  reachedText,
  type Tracker,
  type TrajectoryRecord,
} from "../../core/tracking/index.js";
import { renderScreen, renderSummary } from "./layout.js";
import { Screen } from "./screen.js";
import { TuiState } from "./state.js";

/** Shortest time between two pictures; the clock moves once a second anyway. */
const FRAME_MS = 100;
const CLOCK_MS = 1000;
/** Lines that are printed when the process ends in the middle. */
const LAST_NOTES = 20;

/** `verl train --tui`: the run as a live picture that fills the terminal, in place of the tracker `console`. */
export class TuiTracker implements Tracker {
  readonly name = "tui";
  #state: TuiState | null = null;
  #screen: Screen | null = null;
  #clock: NodeJS.Timeout | undefined;
  #frame: NodeJS.Timeout | undefined;
  #color = false;

  constructor(private readonly output: NodeJS.WriteStream) {}

  start(run: RunInfo): void {
    const state = new TuiState(run);
    this.#state = state;
    this.#color = run.color;
    this.#screen = new Screen(
      this.output,
      (line) => {
        state.note(line, /^(warn|error|\S*SIG)/.test(line));
        this.#soon();
      },
      () => this.#draw(),
      () => {
        for (const { text } of state.notes.slice(-LAST_NOTES)) this.output.write(`${text}\n`);
      },
    );
    this.#screen.enter();
    this.#clock = setInterval(() => this.#draw(), CLOCK_MS).unref();
  }

  log(metrics: Readonly<Record<string, number>>, step: number): void {
    this.#state?.log(metrics, step);
    this.#draw();
  }

  logTrajectories(records: readonly TrajectoryRecord[]): void {
    this.#state?.addSamples(records);
    this.#soon();
  }

  progress(update: ProgressUpdate): void {
    this.#state?.setProgress(update);
    this.#soon();
  }

  /** Back to the lines of before, with what is worth keeping of the picture. */
  finish({ exitCode }: { exitCode: number }): void {
    clearInterval(this.#clock);
    clearTimeout(this.#frame);
    this.#screen?.leave();
    const state = this.#state;
    if (!state) return;
    this.#state = null;
    for (const line of closingLines(state, exitCode, this.output.columns || 80)) this.output.write(`${line}\n`);
  }

  #soon(): void {
    this.#frame ??= setTimeout(() => this.#draw(), FRAME_MS).unref();
  }

  #draw(): void {
    clearTimeout(this.#frame);
    this.#frame = undefined;
    if (this.#state && this.#screen) this.#screen.draw(renderScreen(this.#state, this.#screen.size, this.#color));
  }
}

/** The curves without colours, the warnings, and how the run ended. */
export function closingLines(state: TuiState, exitCode: number, columns: number): string[] {
  const took = formatDuration((performance.now() - state.startedAt) / 1000);
  const how =
    exitCode === 0 && state.step >= state.totalSteps
      ? `done: ${state.totalSteps} steps in ${took}`
      : `ended ${reachedText({ logged: state.step, begun: state.progress?.step ?? 0, total: state.totalSteps })} after ${took}`;
  const warnings = state.notes.filter(({ isWarning }) => isWarning).map(({ text }) => text);
  return [state.title, "", ...renderSummary(state, columns), "", ...warnings, `${how}, output in ${state.outputDir}`];
}
