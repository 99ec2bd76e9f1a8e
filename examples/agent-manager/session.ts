import type { AgentLoopOutput, ManagedPrompt, SequenceManagerOptions, TokenOutput } from "verl-ts/plugin";
import { addTogether } from "./crew.js";

/** One call of the model, as tokens. */
interface RecordedCall {
  readonly agent: string;
  readonly promptIds: readonly number[];
  readonly output: TokenOutput;
}

/**
 * Lets a crew work on one sample. Every call of an agent becomes a trajectory, from the tokens that were sent and sampled; what
 * the crew made of their text is not encoded again. All of them get the score of the whole: 1 for the right sum.
 */
export async function runCrew(
  { uid, row, sampling }: Pick<ManagedPrompt, "uid" | "row" | "sampling">,
  session: number,
  { llmClient, tokenizer, seed }: Pick<SequenceManagerOptions, "llmClient" | "tokenizer" | "seed">,
  signal: AbortSignal,
): Promise<readonly AgentLoopOutput[]> {
  const calls: RecordedCall[] = [];
  const began = performance.now();
  const numbers = row.numbers as readonly number[];
  const sum = await addTogether(numbers, async ({ agent, text }) => {
    const promptIds = tokenizer.encodeChat([{ role: "user", content: text }], { addGenerationPrompt: true });
    // Names the random draws: the same seed gives the same run.
    const requestId = `${uid}_${session}_${calls.length}`;
    const output = await llmClient.generate({ requestId, promptIds, sampling, seed }, { signal });
    calls.push({ agent, promptIds, output });
    return tokenizer.decode(output.tokenIds, { skipSpecialTokens: true });
  });
  const right = sum === numbers.reduce((a, b) => a + b) ? 1 : 0;
  const generateSequences = (performance.now() - began) / 1000;
  return calls.map(({ agent, promptIds, output }) => ({
    promptIds,
    responseIds: output.tokenIds,
    responseMask: output.tokenIds.map(() => 1),
    responseLogProbs: output.logProbs ?? null,
    rewardScore: right,
    numTurns: 2 * calls.length,
    stopReason: output.stopReason,
    minWeightVersion: output.minWeightVersion,
    maxWeightVersion: output.maxWeightVersion,
    metrics: { generateSequences, toolCalls: 0, computeScore: 0, numPreempted: -1 },
    extraFields: { agent, reward_extra_info: { acc: right, pred: sum ?? "none" } },
  }));
}
