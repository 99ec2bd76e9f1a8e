import { type BaseEngine, packSequences, RandomStream, sftLoss, type Tokenizer } from "verl-ts";
import { type AdditionTask, demonstration } from "./task.js";

export interface SupervisedOptions {
  readonly steps: number;
  readonly batchSize: number;
  /** Probability that the teacher forgets the carry. */
  readonly sloppiness: number;
  readonly seed: number;
  onStep?(step: number, loss: number): void;
}

/** Imitate a sloppy teacher: mean negative log-likelihood over answer tokens. */
export async function trainOnDemonstrations(
  engine: BaseEngine,
  tokenizer: Tokenizer,
  task: AdditionTask,
  options: SupervisedOptions,
): Promise<void> {
  const random = new RandomStream(options.seed, "arithmetic/demonstrations");
  const loss = sftLoss();
  const mode = await engine.trainMode();
  try {
    for (let step = 1; step <= options.steps; step++) {
      const batch = packSequences(
        Array.from({ length: options.batchSize }, () => {
          const { prompt, answer } = demonstration(task, random, options.sloppiness);
          return { promptIds: tokenizer.encode(prompt), responseIds: tokenizer.encode(answer) };
        }),
      );
      const result = await engine.trainBatch(batch, loss);
      await engine.lrSchedulerStep();
      options.onStep?.(step, result.loss);
    }
  } finally {
    await mode[Symbol.asyncDispose]();
  }
}
