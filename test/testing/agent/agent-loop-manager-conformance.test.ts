import { expect } from "chai";
import { agentLoopManager } from "../../../core/agent/index.js";
import { type AgentLoopOutput, type PromptBatch, sequenceManager } from "../../../core/plugin.js";
import { agentLoopManagerConformance, runConformance } from "../../../testing/index.js";
import { failing } from "../support.js";

describe("agent-loop manager conformance", () => {
  runConformance("the built-in manager", agentLoopManagerConformance({ factory: agentLoopManager }), { describe, it });

  /** A manager that answers as `change` makes of it. */
  const answering = (change: (output: AgentLoopOutput) => AgentLoopOutput = (output) => output) =>
    sequenceManager("own", {
      create: ({ llmClient, tokenizer, seed }) => ({
        async generateSequences({ prompts, signal }: PromptBatch) {
          const sessions = prompts.flatMap((prompt) =>
            Array.from({ length: prompt.sessions }, (_, s) => ({ prompt, s })),
          );
          await Promise.all(
            sessions.map(async ({ prompt, s }) => {
              try {
                const promptIds = tokenizer.encodeChat(prompt.messages, { addGenerationPrompt: true });
                const request = { requestId: `${prompt.uid}_${s}`, promptIds, sampling: prompt.sampling, seed };
                const { tokenIds, logProbs = null, ...rest } = await llmClient.generate(request, { signal });
                const { stopReason, minWeightVersion, maxWeightVersion } = rest;
                const metrics = { generateSequences: 0, toolCalls: 0, computeScore: 0, numPreempted: -1 };
                prompt.deliver(
                  s,
                  change({
                    ...{
                      promptIds,
                      responseIds: tokenIds,
                      responseMask: tokenIds.map(() => 1),
                      responseLogProbs: logProbs,
                    },
                    ...{ numTurns: 2, stopReason, minWeightVersion, maxWeightVersion, metrics, extraFields: {} },
                  }),
                );
              } catch (error) {
                prompt.fail(s, error);
              }
            }),
          );
        },
      }),
    });
  runConformance("a manager of a plugin's", agentLoopManagerConformance({ factory: answering() }), { describe, it });

  it("catches versions and log-probabilities that are lost", async () => {
    const forgetful = answering((output) => ({ ...output, minWeightVersion: 0, responseLogProbs: null }));
    expect(await failing(agentLoopManagerConformance({ factory: forgetful }))).to.deep.equal([
      "stores tokens, mask and log-probabilities of one length, and the versions of the weights",
    ]);
  });

  it("takes scores of the manager's own where it says that it gives them", async () => {
    const scoring = { ...answering((output) => ({ ...output, rewardScore: 2 })), scoresItself: true };
    expect(await failing(agentLoopManagerConformance({ factory: scoring }))).to.deep.equal([]);
  });
});
