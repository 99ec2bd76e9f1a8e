import type {
  AgentLoopManagerOptions,
  PromptTask,
  SamplingParams,
  TokenOutput,
  TrajectoryFields,
} from "verl-ts/plugin";
import { addTogether } from "./crew.js";

/** One call of the model, as tokens. */
interface RecordedCall {
  readonly agent: string;
  readonly promptIds: readonly number[];
  readonly output: TokenOutput;
}

export interface CrewSession {
  /** `{uid}_{session}`: names the random draws. */
  readonly id: string;
  readonly task: PromptTask;
  readonly sampling: SamplingParams;
  readonly signal: AbortSignal;
}

/**
 * Lets a crew work on one sample. Every call of an agent becomes a trajectory, from the tokens that were sent and sampled; what
 * the crew made of their text is not encoded again. All of them get the score of the whole: 1 for the right sum.
 */
export async function runCrew(
  { id, task, sampling, signal }: CrewSession,
  { client, tokenizer, seed }: Pick<AgentLoopManagerOptions, "client" | "tokenizer" | "seed">,
): Promise<readonly TrajectoryFields[]> {
  const calls: RecordedCall[] = [];
  const began = performance.now();
  const numbers = task.row.numbers as readonly number[];
  const sum = await addTogether(numbers, async ({ agent, text }) => {
    const promptIds = tokenizer.encodeChat([{ role: "user", content: text }], { addGenerationPrompt: true });
    const requestId = `${id}_${calls.length}`;
    const output = await client.generate({ requestId, promptIds, sampling, seed }, { signal });
    calls.push({ agent, promptIds, output });
    return tokenizer.decode(output.tokenIds, { skipSpecialTokens: true });
  });
  const right = sum === numbers.reduce((a, b) => a + b) ? 1 : 0;
  const seconds = (performance.now() - began) / 1000;
  return calls.map(({ agent, promptIds, output }) => ({
    promptIds: Int32Array.from(promptIds),
    responseIds: Int32Array.from(output.tokenIds),
    responseMask: new Int32Array(output.tokenIds.length).fill(1),
    rolloutLogProbs: output.logProbs ? Float32Array.from(output.logProbs) : null,
    score: right,
    rewardOutcome: "scored",
    rewardExtra: { acc: right, pred: sum ?? "none" },
    rewardMessage: null,
    numTurns: 2 * calls.length,
    stopReason: output.stopReason,
    minWeightVersion: output.minWeightVersion,
    maxWeightVersion: output.maxWeightVersion,
    weightVersions: output.weightVersions ?? null,
    metrics: { generateSequences: seconds, toolCalls: 0, computeScore: 0, numPreempted: -1 },
    extraFields: { agent },
    dataSource: String(task.row.data_source),
    groundTruth: null,
    origin: typeof task.row.origin === "string" ? task.row.origin : "",
    agentName: "crew",
  }));
}
