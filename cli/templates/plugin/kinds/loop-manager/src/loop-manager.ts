import {
  type AgentLoopOutput,
  type ManagedPrompt,
  type PromptBatch,
  type SequenceManager,
  type SequenceManagerOptions,
  sequenceManager,
} from "verl-ts/plugin";

/**
 * One answer to each prompt. A framework of your own goes in here: it is given prompts, asks the model through `llmClient` (tokens in,
 * tokens out), and hands over what came of each session. Scoring, storing and failures are the host's.
 */
class Manager implements SequenceManager {
  constructor(private readonly options: SequenceManagerOptions) {}

  async generateSequences({ prompts, signal }: PromptBatch): Promise<void> {
    const sessions = prompts.flatMap((prompt) =>
      Array.from({ length: prompt.sessions }, (_, session) => this.#session(prompt, session, signal)),
    );
    await Promise.all(sessions);
  }

  async #session(prompt: ManagedPrompt, session: number, signal: AbortSignal): Promise<void> {
    try {
      prompt.deliver(session, await this.#answer(prompt, session, signal));
    } catch (error) {
      prompt.fail(session, error);
    }
  }

  async #answer(prompt: ManagedPrompt, session: number, signal: AbortSignal): Promise<AgentLoopOutput> {
    const { llmClient, seed } = this.options;
    const { uid, sampling } = prompt;
    // As the run's own loops encode it, pictures and sounds of the data included.
    const { promptIds, media } = await prompt.preparePrompt();
    const started = performance.now();
    // The name of the session and the seed decide what is drawn: the same prompt gives the same answer in a replay.
    const request = { requestId: `${uid}_${session}`, promptIds, media, sampling, seed };
    const output = await llmClient.generate(request, { signal });
    return {
      promptIds,
      responseIds: output.tokenIds,
      responseMask: output.tokenIds.map(() => 1 as const),
      responseLogProbs: output.logProbs ?? null,
      multiModalData: media,
      numTurns: 2,
      stopReason: output.stopReason,
      minWeightVersion: output.minWeightVersion,
      maxWeightVersion: output.maxWeightVersion,
      metrics: {
        generateSequences: (performance.now() - started) / 1000,
        toolCalls: 0,
        computeScore: 0,
        numPreempted: output.numPreempted ?? -1,
      },
      extraFields: {},
    };
  }
}

export const loopManager = sequenceManager("__SHORT__", { create: (options) => new Manager(options) });
