import type { CheckpointCallback } from "../hooks.js";
import type { RunState } from "../run-context.js";
import type { RunParts } from "../run-parts.js";
import type { SavedCheckpoint } from "./checkpoint-store.js";
import { saveLateMetrics, saveRun } from "./trainer-state.js";

type Metrics = Readonly<Record<string, number>>;

/** The newest checkpoint of a run, as far as the step at hand has still something to add to it. */
export class SavedStep {
  #saved: SavedCheckpoint | null = null;
  /** What the checkpoint itself holds of its step. */
  #metrics: Metrics = {};

  constructor(
    private readonly parts: RunParts,
    private readonly state: Pick<RunState, "globalStep" | "config" | "signal">,
  ) {}

  /** Whether the step at hand is saved. */
  get isCurrent(): boolean {
    return this.#saved?.step === this.state.globalStep;
  }

  /** Write a checkpoint of the step at hand and tell the callbacks. */
  async save(metrics: Metrics): Promise<void> {
    const { parts, state } = this;
    const saved = await saveRun(parts, state.globalStep, metrics);
    this.#saved = saved;
    this.#metrics = { ...metrics };
    const details: Parameters<CheckpointCallback["onSave"]>[0] = {
      globalStep: saved.step,
      checkpointDir: saved.dir,
      asyncSave: false,
      config: state.config,
      signal: state.signal,
    };
    for (const callback of parts.checkpointCallbacks) await callback.onSave(details);
  }

  /** The checkpoint of a step that a killed run had saved and did not log. */
  takeUp(saved: SavedCheckpoint): void {
    this.#saved = saved;
  }

  /** Of a step that is saved, keep the metrics that are newer than its checkpoint. */
  async keepMetrics(metrics: Metrics): Promise<void> {
    if (!this.#saved || !this.isCurrent) return;
    const late = Object.entries(metrics).filter(([name]) => !(name in this.#metrics));
    if (late.length > 0) await saveLateMetrics(this.#saved, Object.fromEntries(late));
  }

  /** The step at hand has been logged: a run that resumes from its checkpoint goes on with the next. */
  async markLogged(): Promise<void> {
    if (this.#saved && this.isCurrent) await this.parts.checkpoints.markLogged(this.#saved);
  }
}
