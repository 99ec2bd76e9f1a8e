import type { AgentLoopFactory, AgentLoopOutput } from "../../../../core/plugin.js";

/** A trajectory of two sampled tokens, `a` and the end, after a prompt of one. */
export function trajectory(over: Partial<AgentLoopOutput> & { readonly version: number }): AgentLoopOutput {
  const { version, ...rest } = over;
  return {
    promptIds: [3],
    responseIds: [2, 1],
    responseMask: [1, 1],
    responseLogProbs: [-1, -1],
    numTurns: 2,
    stopReason: "stop",
    minWeightVersion: version,
    maxWeightVersion: version,
    metrics: { generateSequences: 0, toolCalls: 0, computeScore: 0, numPreempted: -1 },
    extraFields: {},
    ...rest,
  };
}

/** An agent loop that says what its sessions return; `draw` counts prompts, `session` the samples of one. */
export function scriptedLoop(
  name: string,
  run: (at: { readonly draw: number; readonly session: number }) => ReturnType<typeof trajectory> | Promise<unknown>,
): AgentLoopFactory {
  return {
    name,
    create: ({ trajectoryId }) => {
      const [draw, session] = [Number(trajectoryId.slice(0, 10)), Number(trajectoryId.split("_")[1])];
      return { run: async () => (await run({ draw, session })) as AgentLoopOutput };
    },
  };
}
