import type { HostServices } from "../services.js";
import type { TrainerOptions } from "./trainer.js";

/** What every stage of a run is made from, trainer or not. */
export type RunScope = Pick<
  TrainerOptions,
  "config" | "services" | "cwd" | "logger" | "signal" | "profiler" | "sourceOf"
>;

/** What reading tokenizer, data and reward takes: no platform is chosen for it. */
export interface InputScope extends Omit<RunScope, "services"> {
  readonly services: Pick<HostServices, "registries" | "loadUserModule" | "startRewardWorker" | "createEngine">;
}
