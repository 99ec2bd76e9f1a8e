import type { TrainerOptions } from "./trainer.js";

/** What every stage of a run is made from, trainer or not. */
export type RunScope = Pick<TrainerOptions, "config" | "services" | "cwd" | "logger" | "signal">;
