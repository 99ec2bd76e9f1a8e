import { expect } from "chai";
import type { RewardModelOptions, Tokenizer } from "../../../core/plugin.js";
import { createServerClient } from "../../../core/reward/index.js";
import { sglangRewardModel, vllmRewardModel } from "../../../plugins/rewards/index.js";
import { rewardModelConformance, runConformance } from "../../../testing/index.js";
import { rejection } from "../../core/host/support/hosts.js";
import { HttpServer, type Received, type Reply } from "../../core/reward/servers/http-server.js";

const options = (address: string): RewardModelOptions => ({
  modelName: "rm",
  servers: () => createServerClient({ addresses: [address], waitMs: () => 1 }),
  openEngine: () => Promise.reject(new Error("no engine")),
  tokenizer: {} as Tokenizer,
  maxTokens: 1024,
  logger: { debug() {}, info() {}, warn() {}, error() {} },
});

/** Both forms, scoring a text by its length; the last of two labels counts. */
function reply({ path, body }: Received): Reply {
  if (path === "/v1/models") return { body: { data: [{ id: "rm" }] } };
  const score = String(body.input).length;
  if (path === "/classify") return { body: { data: [{ index: 0, label: "x", probs: [-1, score] }] } };
  return { body: { data: [{ index: 0, embedding: [-1, score] }] } };
}

const conversations = ["short", "a longer one"].map((text) => ({ text, ids: [1] }));

describe("reward models on servers", () => {
  let server: HttpServer;
  before(async () => {
    server = await HttpServer.start(reply);
  });
  after(() => server[Symbol.asyncDispose]());

  for (const factory of [vllmRewardModel, sglangRewardModel]) {
    runConformance(
      `reward model ${factory.name}`,
      rewardModelConformance({ make: () => factory.create(options(server.address)), conversations }),
      { describe, it },
    );
  }

  it("ask vLLM for the logit of the last label", async () => {
    const model = await vllmRewardModel.create(options(server.address));
    expect(await model.score(conversations[0])).to.equal(5);
    expect(server.received.at(-1)).to.deep.include({
      path: "/classify",
      body: { model: "rm", input: "short", use_activation: false },
    });
  });

  it("ask SGLang for the embedding", async () => {
    const model = await sglangRewardModel.create(options(server.address));
    expect(await model.score(conversations[0])).to.equal(5);
    expect(server.received.at(-1)).to.deep.include({ path: "/v1/embeddings", body: { model: "rm", input: "short" } });
  });

  it("refuse an answer with more items than texts", async () => {
    const data = [1, 2, 3].map((score) => ({ probs: [score] }));
    await using other = await HttpServer.start(() => ({ body: { data } }));
    const error = await rejection((await vllmRewardModel.create(options(other.address))).score(conversations[0]));
    expect(error.message).to.contain("VERL_REWARD_SERVER_FAILED").and.contain("3 items for one request");
  });

  it("refuse an answer of the other kind", async () => {
    await using other = await HttpServer.start(() => ({ body: { data: [{ embedding: [1] }] } }));
    const error = await rejection((await vllmRewardModel.create(options(other.address))).score(conversations[0]));
    expect(error.message).to.contain("VERL_REWARD_SERVER_FAILED").and.contain("form of vllm");
  });
});
