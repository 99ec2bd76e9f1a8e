import type { PromptBatch, SequenceManager, SequenceManagerOptions } from "verl-ts/plugin";
import { runCrew } from "./session.js";

/**
 * Takes the place of the built-in manager: prompts go to a framework of one's own, which runs its episodes by itself and hands
 * their trajectories over.
 */
export class CrewManager implements SequenceManager {
  /** Episodes bring their scores along: no data source needs a scorer. */
  static readonly scoresItself = true;

  static create(options: SequenceManagerOptions): CrewManager {
    if (options.teacherClient) throw new Error("a crew has no teacher");
    return new CrewManager(options);
  }

  private constructor(private readonly options: SequenceManagerOptions) {}

  generateSequences({ prompts, signal }: PromptBatch): void {
    for (const prompt of prompts) {
      for (let session = 0; session < prompt.sessions; session++) {
        runCrew(prompt, session, this.options, signal).then(
          (trajectories) => prompt.deliver(session, trajectories),
          (error: unknown) => prompt.fail(session, error),
        );
      }
    }
  }
}
