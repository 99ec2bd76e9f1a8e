import { expect } from "chai";
import { makeConfig } from "../../../../core/config/index.js";
import type { EngineFactory, EngineWork, MemoryPart, RolloutFactory } from "../../../../core/plugin.js";
import type { HostServices } from "../../../../core/services.js";
import { bytesText, estimateMemory, isTooLarge, memoryLines } from "../../../../core/trainer/index.js";

const MIB = 2 ** 20;
const part = (name: string, mebibytes: number, during: MemoryPart["during"]): MemoryPart => ({
  name,
  bytes: mebibytes * MIB,
  during,
});

describe("core/trainer/plan/memory-estimate", () => {
  /** An engine that needs its weights always and one KiB per token in training; a server that sleeps. */
  const engine: Pick<EngineFactory, "estimate"> = {
    estimate: ({ optimizer }, { tokens }) => [
      part("weights", optimizer ? 40 : 10, "always"),
      { name: "activations", bytes: tokens * 1024, during: "training" },
    ],
  };
  const rollout: Pick<RolloutFactory, "estimate"> = {
    estimate: ({ maxNumSeqs }) => [part("weights", 10, "always"), part("cache", maxNumSeqs, "sampling")],
  };
  const estimate = (
    settings: object,
    {
      engines = engine,
      servers = rollout,
      totalBytes = 1024 * MIB,
    }: {
      engines?: Pick<EngineFactory, "estimate">;
      servers?: Pick<RolloutFactory, "estimate">;
      totalBytes?: number;
    } = {},
  ) => {
    const services = {
      registries: { engines: { items: () => [] }, rollouts: { require: () => servers } },
      findEngine: () => engines,
      platform: { memoryInfo: () => ({ totalBytes, freeBytes: 0 }), deviceCount: () => 2 },
    } as unknown as HostServices;
    const config = makeConfig({
      data: { train_batch_size: 8, max_prompt_length: 24, max_response_length: 8 },
      actor_rollout_ref: {
        model: { path: "model" },
        rollout: { n: 4, max_num_seqs: 64 },
        actor: { ppo_mini_batch_size: 8 },
      },
      ...settings,
    });
    return estimateMemory({ config, cwd: "/", services }, 10);
  };

  it("counts what is there always, and what training and sampling need in turn", async () => {
    const memory = await estimate({});
    // 8 prompts x 4 samples x 32 tokens are less than the token budget.
    expect(memory.training).to.equal((40 + 10 + 1) * MIB);
    expect(memory.sampling).to.equal((40 + 10 + 64) * MIB);
    expect(memory.unknown).to.deep.equal([]);
    expect(isTooLarge(memory)).to.equal(false);
    expect(memoryLines(memory)).to.deep.equal([
      "about 51 MiB while training and 114 MiB while sampling of 1 GiB",
      "actor: weights 40 MiB, activations 1 MiB",
      "rollout: weights 10 MiB, cache 64 MiB",
    ]);
  });

  it("counts a reward model on the engine: always, or while sampling where it is loaded for that alone", async () => {
    const model = { enable: true, model_path: "rm", max_tokens_per_batch: 1024 };
    const late = await estimate({ reward: { reward_model: model } });
    expect(late.training).to.equal((40 + 10 + 1) * MIB);
    expect(late.sampling).to.equal((40 + 10 + 64 + 10 + 1) * MIB);
    const resident = await estimate({ reward: { reward_model: { ...model, enable_resource_pool: true } } });
    expect(resident.training).to.equal((40 + 10 + 1 + 10 + 1) * MIB);
    expect(memoryLines(resident)).to.include("reward model: weights 10 MiB, activations 1 MiB");
    const elsewhere = { ...model, rollout: { name: "vllm" }, addresses: ["host:8000"] };
    expect((await estimate({ reward: { reward_model: elsewhere } })).parts.map(({ owner }) => owner)).to.not.include(
      "reward model",
    );
  });

  it("hands engines the largest micro-batch that they will get", async () => {
    const works: EngineWork[] = [];
    const watching: Pick<EngineFactory, "estimate"> = {
      estimate: (_, work) => {
        works.push(work);
        return [];
      },
    };
    const actor = (more: object) => ({
      actor_rollout_ref: {
        model: { path: "model" },
        rollout: { n: 4, max_num_seqs: 64, prompt_length: 24, response_length: 8 },
        actor: { ppo_mini_batch_size: 8, ...more },
      },
    });
    await estimate(actor({ ppo_max_token_len_per_gpu: 100 }), { engines: watching });
    await estimate(actor({ ppo_max_token_len_per_gpu: 10 }), { engines: watching });
    await estimate(actor({ use_dynamic_bsz: false, ppo_micro_batch_size_per_gpu: 2 }), { engines: watching });
    await estimate(actor({ use_dynamic_bsz: false }), { engines: watching });
    expect(works.map(({ tokens }) => tokens)).to.deep.equal([100, 32, 64, 8 * 4 * 32]);
    expect(works.every(({ longest }) => longest === 32)).to.equal(true);
  });

  it("includes a reference policy, which trains nothing", async () => {
    const memory = await estimate({ algorithm: { use_kl_in_reward: true } });
    const reference = memory.parts.filter(({ owner }) => owner === "reference");
    expect(reference.map(({ name, bytes }) => [name, bytes])).to.deep.equal([
      ["weights", 10 * MIB],
      ["activations", 8 * 4 * 32 * 1024],
    ]);
  });

  it("counts training processes that share a device", async () => {
    const memory = await estimate({ trainer: { n_gpus_per_node: 4 } });
    expect(memory.training, "two processes on each of two devices, one server").to.equal((2 * 40 + 10 + 2) * MIB);
  });

  it("says who cannot say, and nothing where nobody can", async () => {
    const partly = await estimate({}, { servers: {} });
    expect(memoryLines(partly).at(-1)).to.equal("rollout: not known");
    expect(memoryLines(await estimate({}, { servers: {}, engines: {} }))).to.deep.equal([]);
  });

  it("knows when there is not enough", async () => {
    expect(isTooLarge(await estimate({}, { totalBytes: 100 * MIB }))).to.equal(true);
  });

  it("writes sizes for people", () => {
    expect([300, 1536, 12 * MIB, 1.5 * 1024 * MIB, 300 * 1024 * MIB].map(bytesText)).to.deep.equal([
      "0.3 KiB",
      "1.5 KiB",
      "12 MiB",
      "1.5 GiB",
      "300 GiB",
    ]);
  });
});
