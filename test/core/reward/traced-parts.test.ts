import { expect } from "chai";
import {
  createBatchRewardManager,
  createHybridRewardManager,
  createJudge,
  createModelRewardManager,
  createNaiveRewardManager,
  createRemoteRewardManager,
  createScorerIndex,
  createServerClient,
  gsm8kScorer,
  judgeOver,
  type RewardFunction,
  type RewardManager,
  tracedJudge,
  withErrorPolicy,
} from "../../../core/reward/index.js";
import { ATTRIBUTE } from "../../../core/tracing/index.js";
import { type RecordedSpan, RecordingTracer } from "../../../testing/index.js";
import { managerOptions, rewardInput } from "./input.js";
import { completion, HttpServer } from "./servers/http-server.js";

const shape = ({ start, attributes, children }: RecordedSpan): unknown => [
  `${start.kind} ${start.name}`,
  ...(start.kind === "score" ? [attributes[ATTRIBUTE.outcome], attributes[ATTRIBUTE.score]] : []),
  ...children.map(shape),
];

/** Scores inside a reward's span, one for each solution, all at the same time. */
async function traced(tracer: RecordingTracer, manager: RewardManager, solutions: readonly string[]) {
  await Promise.all(
    solutions.map((solution) =>
      tracer.span({ kind: "reward", name: solution, root: true }, () =>
        manager.score(rewardInput({ solution, dataSource: "openai/gsm8k" })),
      ),
    ),
  );
  return tracer.roots.map(shape);
}

const { find: findScorer, knownDataSources } = createScorerIndex([gsm8kScorer]);
const judgeAt = (address: string, model: string) => judgeOver(createServerClient({ addresses: [address] }), { model });
const half: RewardFunction = () => 0.5;

describe("parts of a score in traces", () => {
  it("a call of a scorer or function is one, from the moment that it has its place", async () => {
    const tracer = new RecordingTracer();
    const begun: number[] = [];
    const customFunction: RewardFunction = async ({ solution }) => {
      begun.push(tracer.roots.flatMap(({ children }) => children).length);
      await new Promise(setImmediate);
      return solution === "b" ? null : 0.5;
    };
    const manager = createNaiveRewardManager(managerOptions({ tracer, customFunction, maxConcurrent: 1 }));
    expect(await traced(tracer, manager, ["a", "b"])).to.deep.equal([
      ["reward a", ["score function", "scored", 0.5]],
      ["reward b", ["score function", "abstain", undefined]],
    ]);
    expect(begun, "the second one waits outside of its part").to.deep.equal([1, 2]);
    const rules = new RecordingTracer();
    const byRule = createNaiveRewardManager(managerOptions({ tracer: rules, findScorer, knownDataSources }));
    expect(await traced(rules, byRule, ["#### 42"])).to.deep.equal([
      ["reward #### 42", [`score ${gsm8kScorer.name}`, "scored", 1]],
    ]);
  });

  it("every try is one", async () => {
    const tracer = new RecordingTracer();
    let tries = 0;
    const customFunction: RewardFunction = () => {
      if (++tries === 1) throw new Error("busy");
      return 1;
    };
    const inner = createNaiveRewardManager(managerOptions({ tracer, customFunction }));
    const manager = withErrorPolicy(inner, { action: "zero", retries: 1 });
    expect(await traced(tracer, manager, ["a"])).to.deep.equal([
      ["reward a", ["score function", "error", undefined], ["score function", "scored", 1]],
    ]);
  });

  it("a score made of parts shows each", async () => {
    const tracer = new RecordingTracer();
    const options = managerOptions({ tracer, findScorer, knownDataSources, customFunction: half });
    const tokenizer = { renderChat: () => "chat", encode: () => [1], decode: () => "a", tokenText: () => "" };
    const rewardModel = createModelRewardManager(
      {
        model: { score: async () => -1, start: async () => {}, sleep: async () => {}, dispose: async () => {} },
        tokenizer: { ...tokenizer, bosTokenId: null } as never,
      },
      { ...options, tokenizer: { ...tokenizer, eosTokenId: null } as never },
    );
    const hybrid = [{ data_source: "*", rule: 1, function: 1, model: 1 }];
    const manager = createHybridRewardManager({ ...options, hybrid, rewardModel });
    await traced(tracer, manager, ["#### 42"]);
    expect(tracer.roots[0].children.map(shape)).to.have.deep.members([
      [`score ${gsm8kScorer.name}`, "scored", 1],
      ["score function", "scored", 0.5],
      ["score model", "scored", -1],
    ]);
  });

  it("a call in a thread is one", async () => {
    const tracer = new RecordingTracer();
    const start = async () => ({
      name: "reward worker 1",
      score: async () => ({ outcome: "scored" as const, score: 0.25, extra: {} }),
      stop: async () => {},
    });
    const manager = await createRemoteRewardManager(
      managerOptions({ tracer, customFunction: half, workers: { count: 1, start } }),
    );
    expect(await traced(tracer, manager, ["a", "b"])).to.deep.equal([
      ["reward a", ["score function", "scored", 0.25]],
      ["reward b", ["score function", "scored", 0.25]],
    ]);
  });

  it("a call for a list is one in the trace of each trajectory", async () => {
    const tracer = new RecordingTracer();
    const lengths = ((samples: readonly unknown[]) => samples.map((_, i) => i)) as unknown as RewardFunction;
    const manager = createBatchRewardManager(
      managerOptions({ tracer, customFunction: lengths, batch: { maxSize: 3, maxWaitMs: 10_000 } }),
    );
    expect(await traced(tracer, manager, ["a", "b", "c"])).to.deep.equal([
      ["reward a", ["score function", "scored", 0]],
      ["reward b", ["score function", "scored", 1]],
      ["reward c", ["score function", "scored", 2]],
    ]);
  });

  it("requests to the judge are, in the call that makes them", async () => {
    await using server = await HttpServer.start(() => completion("8/10"));
    const tracer = new RecordingTracer();
    const judge = tracedJudge(judgeAt(server.address, "critic-7b"), () => tracer);
    const customFunction: RewardFunction = async ({ judge: asked }) => {
      await asked?.post("/v1/rerank", { texts: [] });
      const { text } = (await asked?.chat({ messages: [{ role: "user", content: "Rate this." }] })) ?? { text: "0" };
      return Number.parseInt(text, 10) / 10;
    };
    const manager = createNaiveRewardManager(managerOptions({ tracer, customFunction, judge }));
    expect(await traced(tracer, manager, ["a"])).to.deep.equal([
      ["reward a", ["score function", "scored", 0.8, ["judge judge"], ["judge judge"]]],
    ]);
    const [, chat] = tracer.roots[0].children[0].children;
    expect(chat.attributes).to.deep.include({
      [ATTRIBUTE.model]: "critic-7b",
      [ATTRIBUTE.finishReasons]: ["stop"],
    });
    expect(JSON.stringify(chat.attributes)).to.not.match(/Rate|8\/10/);
  });

  it("requests to a judge of the function's own are too, each in the trajectory that it was made for", async () => {
    await using server = await HttpServer.start(({ body }) => completion(body.messages[0].content));
    const judge = createJudge({ addresses: [server.address], model: "own" });
    const tracer = new RecordingTracer();
    const customFunction: RewardFunction = async ({ solution }) => {
      const { text } = await judge.chat({ messages: [{ role: "user", content: solution }] });
      return Number(text);
    };
    const manager = createNaiveRewardManager(managerOptions({ tracer, customFunction }));
    expect(await traced(tracer, manager, ["1", "0"])).to.deep.equal([
      ["reward 1", ["score function", "scored", 1, ["judge judge"]]],
      ["reward 0", ["score function", "scored", 0, ["judge judge"]]],
    ]);
    const [asked] = tracer.roots[0].children[0].children;
    expect(asked.attributes).to.deep.include({ [ATTRIBUTE.model]: "own", [ATTRIBUTE.finishReasons]: ["stop"] });
    await judge.chat({ messages: [{ role: "user", content: "outside of a run" }] });
    expect(tracer.roots).to.have.length(2);
  });

  it("a judge's request says what it took and, where texts are wanted, what was said", async () => {
    const usage = { prompt_tokens: 12, completion_tokens: 3 };
    await using server = await HttpServer.start(() => ({ body: { ...(completion("8/10").body as object), usage } }));
    const tracer = new RecordingTracer(true);
    const judge = tracedJudge(judgeAt(server.address, "m"), () => tracer);
    await judge.chat({ messages: [{ role: "user", content: "Rate this." }] });
    expect(tracer.roots[0].attributes).to.deep.include({
      [ATTRIBUTE.inputTokens]: 12,
      [ATTRIBUTE.outputTokens]: 3,
      [ATTRIBUTE.promptText]: '[{"role":"user","content":"Rate this."}]',
      [ATTRIBUTE.responseText]: "8/10",
    });
  });
});
