import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { loadTokenizer, type Tokenizer } from "../../../../core/data/index.js";
import type { BaseEngine, RewardModelOptions } from "../../../../core/plugin.js";
import { engineRewardModel, renderConversation, requireTemplate } from "../../../../core/reward/index.js";
import { createOnnxEngine } from "../../../../engines/onnx/index.js";
import { rewardModelConformance, runConformance } from "../../../../testing/index.js";
import { rejection } from "../../host/support/hosts.js";
import { writeToyRewardModel } from "../../trainer/support/toy-task.js";
import { rewardInput } from "../input.js";

/** The tokenizer with other properties. */
const changed = (tokenizer: Tokenizer, over: Partial<Tokenizer>): Tokenizer =>
  new Proxy(tokenizer, {
    get(target, name) {
      const value = name in over ? over[name as keyof Tokenizer] : Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

describe("reward model on an engine", function () {
  this.timeout(30_000);
  let folder: string;
  let tokenizer: Tokenizer;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "verl-reward-model-"));
    await writeToyRewardModel(folder);
    tokenizer = await loadTokenizer(folder);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const openEngine = async (): Promise<BaseEngine> =>
    createOnnxEngine({
      modelType: "reward_model",
      model: { path: folder },
      optimizer: null,
      topology: { rank: 0, size: 1, isOutputSource: true },
      threads: 1,
      seed: 1,
      extra: {},
    });
  const options = (over: Partial<RewardModelOptions> = {}): RewardModelOptions => ({
    modelName: "rm",
    servers: () => {
      throw new Error("no servers");
    },
    openEngine,
    tokenizer,
    maxTokens: 16,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    ...over,
  });
  const of = (text: string) => ({ text, ids: tokenizer.encode(text) });

  runConformance(
    "reward model engine",
    rewardModelConformance({
      make: () => engineRewardModel.create(options()),
      conversations: [
        { text: "", ids: [2, 3] },
        { text: "", ids: [9] },
        { text: "", ids: [4, 5, 6, 7, 8, 9, 10] },
      ],
    }),
    { describe, it },
  );

  it("gives what the engine gives for the sequence alone, whatever it is batched with", async () => {
    const engine = await openEngine();
    await engine.initialize();
    await engine.evalMode();
    const { packSequences } = await import("../../../../core/data/index.js");
    const alone = async (ids: number[]) =>
      (await engine.inferBatch(packSequences([{ promptIds: ids, responseIds: [] }]), ["scores"])).scores?.[0];
    const texts = ["abc", "dddd", "l", "abcdefghijkl"];
    const expected = await Promise.all(texts.map(async (text) => alone(tokenizer.encode(text))));
    await engine.dispose();
    const batches: number[] = [];
    const model = await engineRewardModel.create(
      options({
        openEngine: async () => {
          const real = await openEngine();
          return new Proxy(real, {
            get(target, name) {
              const value = Reflect.get(target, name, target);
              if (name !== "inferBatch") return typeof value === "function" ? value.bind(target) : value;
              return (batch: Parameters<BaseEngine["inferBatch"]>[0], outputs: readonly "scores"[]) => {
                batches.push(batch.size);
                return target.inferBatch(batch, outputs);
              };
            },
          });
        },
      }),
    );
    await model.start();
    const scores = await Promise.all(texts.map((text) => model.score(of(text))));
    scores.forEach((score, i) => {
      expect(score).to.be.closeTo(expected[i] as number, 1e-5);
    });
    expect(batches, "three fit into 16 tokens").to.deep.equal([3, 1]);
    await model.dispose();
  });

  it("renders by its own template, without end token and without text of its first token", () => {
    const input = rewardInput({
      messages: [{ role: "user", content: "ab" }],
      responseIds: [...tokenizer.encode("cd"), tokenizer.eosTokenId as number],
    });
    const rendered = renderConversation(input, { policy: tokenizer, model: tokenizer });
    expect(rendered).to.deep.equal({ text: "ablcdl", ids: tokenizer.encode("ablcdl") });
    const withStart = changed(tokenizer, { bosTokenId: tokenizer.tokenId("a") });
    expect(renderConversation(input, { policy: tokenizer, model: withStart }).text).to.equal("blcdl");
    const textOnly = { ...input, responseIds: [], solution: "ef" };
    expect(renderConversation(textOnly, { policy: tokenizer, model: tokenizer }).text).to.equal("ablefl");
  });

  it("refuses a conversation longer than its context, and a tokenizer without template", async () => {
    const model = await engineRewardModel.create(options());
    await model.start();
    const error = await rejection(Promise.resolve().then(() => model.score(of("a".repeat(17)))));
    expect(error.code).to.equal("VERL_REWARD_TOO_LONG");
    expect(error.message).to.contain("17 tokens").and.contain("16 positions");
    await model.dispose();
    const bare = changed(tokenizer, { hasChatTemplate: false });
    expect(() => requireTemplate(bare, folder))
      .to.throw("VERL_REWARD_MODEL_UNFIT")
      .with.property("message")
      .that.contains(folder);
  });
});
