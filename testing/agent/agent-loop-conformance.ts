import assert from "node:assert/strict";
import type {
  AgentLoopContext,
  AgentLoopFactory,
  AgentLoopInput,
  AgentLoopOutput,
  ChatMessage,
  LlmClient,
  Row,
  SamplingParams,
  Tool,
  ToolParser,
} from "../../core/plugin.js";
import { composeToolParser, Prose, SessionMedia, ToolSet, TurnEncoder, textAlone } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";
import { type Answer, ScriptedClient } from "./scripted-client.js";
import { createToyTokenizer } from "./toy-tokenizer.js";

export interface AgentLoopUnderTest {
  readonly factory: AgentLoopFactory;
  /** What the loop is asked. Texts must be ASCII: the suite brings a tokenizer of its own. */
  readonly messages?: readonly ChatMessage[];
  readonly row?: Row;
  /** Texts that the model answers, turn by turn; the last one repeats. */
  readonly answers?: readonly string[];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly tools?: readonly Tool[];
  /** How the answers write calls; by default they write none. */
  readonly toolParser?: ToolParser;
}

const noCalls = composeToolParser({
  name: "none",
  *parse(input, out) {
    yield* new Prose(input, out, { opens: [] }).next();
  },
});

const MESSAGES: readonly ChatMessage[] = [{ role: "user", content: "What is 6 times 7?" }];

/** What every agent loop must do. Run it with `runConformance`. */
export function agentLoopConformance(subject: AgentLoopUnderTest): ConformanceCase[] {
  const tokenizer = createToyTokenizer();
  const answers = (subject.answers ?? ["It is 42."]).map(
    (text): Answer => ({ tokenIds: [...tokenizer.encode(text), 1], minWeightVersion: 3, maxWeightVersion: 4 }),
  );
  const input: AgentLoopInput = {
    messages: deepFreeze(structuredClone(subject.messages ?? MESSAGES)),
    row: subject.row ?? {},
    validate: false,
  };

  async function contextOf(client: LlmClient, over: Partial<AgentLoopContext> = {}): Promise<AgentLoopContext> {
    const encodePrompt: AgentLoopContext["encodePrompt"] = (messages, { tools } = {}) =>
      tokenizer.encodeChat(messages, { addGenerationPrompt: true, ...(tools ? { tools } : {}) });
    const { signal } = new AbortController();
    return {
      client,
      tokenizer,
      promptLength: 512,
      responseLength: 512,
      trajectoryId: "u_0",
      seed: 1,
      sampling: SAMPLING,
      applyChatTemplateKwargs: {},
      encodePrompt,
      preparePrompt: async (messages, options) => ({ messages, promptIds: encodePrompt(messages, options), media: [] }),
      media: new SessionMedia(textAlone(tokenizer), signal),
      tools: await ToolSet.of(subject.tools ?? []),
      interactions: new Map(),
      toolParser: subject.toolParser ?? noCalls,
      turnEncoder: (tools) => new TurnEncoder(tokenizer, { tools }),
      multiTurn: {
        maxAssistantTurns: Infinity,
        maxUserTurns: Infinity,
        maxTurnTokens: Infinity,
        interactionDeadlineMs: 1000,
        maxParallelCalls: 1,
        toolCalls: { deadlineMs: 1000, maxResponseLength: 256, truncateSide: "middle" },
      },
      options: subject.options ?? {},
      signal,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      ...over,
    };
  }

  async function run(client: LlmClient, over: Partial<AgentLoopContext> = {}): Promise<readonly AgentLoopOutput[]> {
    const loop = await subject.factory.create(await contextOf(client, over));
    const returned = await loop.run(input);
    return Array.isArray(returned) ? (returned as AgentLoopOutput[]) : [returned as AgentLoopOutput];
  }

  return [
    {
      name: "returns token ids, mask and log-probabilities of one length",
      async run() {
        const outputs = await run(new ScriptedClient(answers));
        assert.ok(outputs.length > 0, "at least one trajectory");
        for (const output of outputs) {
          assert.ok(output.promptIds.length > 0, "a prompt");
          assert.equal(output.responseMask.length, output.responseIds.length);
          assert.equal(output.responseLogProbs?.length, output.responseIds.length);
          assert.ok(output.responseMask.every((m) => m === 0 || m === 1));
        }
      },
    },
    {
      name: "marks exactly the sampled tokens, unchanged, and gives the others a log-probability of 0",
      async run() {
        const client = new ScriptedClient(answers);
        const outputs = await run(client);
        const sampled = client.requests.flatMap((_, call) => answers[Math.min(call, answers.length - 1)].tokenIds);
        const masked = outputs.flatMap((o) => o.responseIds.filter((_, t) => o.responseMask[t] === 1));
        assert.deepEqual(masked, sampled);
        for (const o of outputs) {
          const expected = o.responseMask.map((m) => (m === 1 ? -0.5 : 0));
          assert.deepEqual(o.responseLogProbs, expected);
        }
      },
    },
    {
      name: "sends the tokens of the earlier turns again as they were, never encoded anew",
      async run() {
        const client = new ScriptedClient(answers);
        await run(client);
        client.requests.slice(1).forEach((request, i) => {
          const before = [...client.requests[i].promptIds, ...answers[Math.min(i, answers.length - 1)].tokenIds];
          assert.deepEqual([...request.promptIds].slice(0, before.length), before);
        });
      },
    },
    {
      name: "asks under its trajectory id with the given seed and sampling parameters",
      async run() {
        const client = new ScriptedClient(answers);
        await run(client, { trajectoryId: "abc_7", seed: 9 });
        assert.ok(client.requests.length > 0, "the model is asked");
        for (const { requestId, seed, sampling } of client.requests) {
          assert.equal(requestId, "abc_7");
          assert.equal(seed, 9);
          assert.equal(sampling.temperature, SAMPLING.temperature);
        }
      },
    },
    {
      name: "reports the weight versions of the server",
      async run() {
        for (const output of await run(new ScriptedClient(answers))) {
          assert.deepEqual([output.minWeightVersion, output.maxWeightVersion], [3, 4]);
        }
      },
    },
    {
      name: "stays within the response length",
      async run() {
        for (const output of await run(new ScriptedClient(answers), { responseLength: 4 })) {
          assert.ok(output.responseIds.length <= 4, `${output.responseIds.length} tokens`);
        }
      },
    },
    {
      name: "passes on an abort",
      async run() {
        const controller = new AbortController();
        const reason = new Error("stopped by the suite");
        const client: LlmClient = {
          generate: (_, options) =>
            new Promise((_, reject) => {
              options?.signal?.addEventListener("abort", () => reject(options.signal?.reason));
              setImmediate(() => controller.abort(reason));
            }),
        };
        await assert.rejects(run(client, { signal: controller.signal }), reason);
      },
    },
    {
      name: "keeps samples of one factory apart",
      async run() {
        const ids = ["u_0", "u_1", "u_2"];
        const clients = ids.map(() => new ScriptedClient(answers));
        const all = await Promise.all(ids.map((trajectoryId, i) => run(clients[i], { trajectoryId })));
        for (const outputs of all) {
          assert.deepEqual(
            outputs.map((o) => [o.promptIds, o.responseIds]),
            all[0].map((o) => [o.promptIds, o.responseIds]),
          );
        }
        clients.forEach((client, i) => {
          assert.ok(client.requests.every((r) => r.requestId === ids[i]));
        });
      },
    },
  ];
}

const SAMPLING: SamplingParams = Object.freeze({ temperature: 0.7, topP: 1, topK: -1, logProbs: true });

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) deepFreeze(item);
    Object.freeze(value);
  }
  return value;
}
