import type { Logger } from "../../host/types.js";
import { trainerErrors } from "../errors.js";
import { isTrainable, type TrainBatch } from "./train-batch.js";

/** Steps of this process in which nothing could be trained on. */
export class UntrainedSteps {
  #done = 0;
  #untrained = 0;

  count(batch: TrainBatch): void {
    this.#done++;
    if (!isTrainable(batch)) this.#untrained++;
  }

  /** A run that has trained on nothing must not pass for one that has trained. @throws VERL_TRAINER_NO_TRAINABLE */
  report(logger: Pick<Logger, "warn">): void {
    if (this.#untrained === 0) return;
    const what = `no trainable tokens in ${this.#untrained} of ${this.#done} steps`;
    if (this.#untrained < this.#done) {
      logger.warn(what);
      return;
    }
    throw trainerErrors.VERL_TRAINER_NO_TRAINABLE({
      what,
      why: "the actor was never updated; the warnings of the steps say why",
      fix: "loosen rollout_correction.rollout_rs_threshold, or choose an estimator that needs fewer tokens",
    });
  }
}
