/**
 * Collects where a run's time goes: `verl profile` hands one to the trainer, which passes it on to engines and servers of its
 * process. Without one nothing is measured. Of an engine that ignores it the stages are known, and nothing within them.
 */
export interface Profiler {
  /** Runs a stage of a step, `step` being all of them. Stages nest and never overlap otherwise. */
  stage<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Runs work of an engine or server within whatever stage is under way. */
  span<T>(name: string, work: () => Promise<T>): Promise<T>;
  /**
   * Beginning of the path of a trace of operators, in the format of onnxruntime's profiles, which an engine may write; another
   * one for every call. Traces must be complete when the engine is disposed.
   */
  operatorTrace(purpose: "training" | "sampling"): string;
}

/** Runs work of an engine or server, under its name where somebody asks. */
export function profiled<T>(profiler: Profiler | undefined, name: string, work: () => Promise<T>): Promise<T> {
  return profiler ? profiler.span(name, work) : work();
}
