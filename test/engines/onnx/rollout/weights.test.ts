import { expect } from "chai";
import { f32ToBf16, f32ToF16 } from "../../../../core/formats/index.js";
import type { NamedTensor } from "../../../../core/plugin.js";
import { qkvModule } from "../../../../engines/onnx/rollout/decode-parameters.js";
import { drainWeights } from "../../../../engines/onnx/rollout/weights.js";
import { randomWeights, request, streamOf, tiny, withOnnxReplica } from "./tiny-model.js";

const dataOf = (tensors: readonly NamedTensor[], name: string) =>
  tensors.find((t) => t.name.endsWith(name))?.data as Float32Array;

describe("drainWeights", () => {
  it("stacks queries, keys and values of a layer, whatever order they come in", async () => {
    const tensors = randomWeights(tiny, 1);
    const weights = await drainWeights(tiny, streamOf([...tensors].reverse()));
    const stacked = weights.get(`${qkvModule(tiny, 1)}.weight`);
    expect(stacked?.shape).to.deep.equal([(6 + 2 + 2) * 16, 24]);
    const parts = ["q", "k", "v"].map((x) => dataOf(tensors, `layers.1.self_attn.${x}_proj.weight`));
    expect([...(stacked?.data ?? [])]).to.deep.equal(parts.flatMap((part) => [...part]));
  });

  for (const [dtype, encode] of [
    ["bf16", f32ToBf16],
    ["f16", f32ToF16],
  ] as const) {
    it(`converts ${dtype}`, async () => {
      const tensors = randomWeights(tiny, 1).map((t) => ({ ...t, dtype, data: encode(t.data as Float32Array) }));
      const weights = await drainWeights(tiny, streamOf(tensors));
      const exact = dataOf(randomWeights(tiny, 1), "down_proj.weight");
      const converted = weights.get("model.layers.0.mlp.down_proj.weight")?.data ?? new Float32Array();
      const worst = Math.max(...exact.map((x, i) => Math.abs(x - converted[i]) / Math.max(Math.abs(x), 1e-3)));
      expect(worst).to.be.within(1e-9, 2 ** -8);
    });
  }

  it("overwrites the memory of weights that are no longer in use", async () => {
    const old = await drainWeights(tiny, streamOf(randomWeights(tiny, 1)));
    const fresh = await drainWeights(tiny, streamOf(randomWeights(tiny, 2)), { into: old });
    for (const [name, { data }] of fresh) expect(data).to.equal(old.get(name)?.data);
    expect(fresh).to.deep.equal(await drainWeights(tiny, streamOf(randomWeights(tiny, 2))));
  });

  it("names the tensor and both shapes when one does not fit", async () => {
    const [first, ...rest] = randomWeights(tiny, 1);
    const wrong = { ...first, shape: [first.shape[1], first.shape[0]] };
    const error = await drainWeights(tiny, streamOf([wrong, ...rest])).catch((e: Error) => e);
    expect(String(error)).to.match(/VERL_ROLLOUT_BAD_WEIGHTS: .*embed_tokens.*\[24,61\].*\[61,24\]/);
  });

  it("names some of the tensors that are missing", async () => {
    const error = await drainWeights(tiny, streamOf(randomWeights(tiny, 1).slice(0, 4))).catch((e: Error) => e);
    expect(String(error)).to.match(/16 of 20 tensors are missing.*o_proj/);
  });
});

describe("onnx rollout: weights that change under way", () => {
  it("lets a sequence go on with the new weights, and says which versions drew it", async () => {
    await withOnnxReplica({ maxModelLen: 512 }, async (replica) => {
      const flying = replica.generate(request("long", { maxTokens: 400 }));
      await replica.generate(request("short", { maxTokens: 5 }));
      await replica.receiveWeights(streamOf(randomWeights(tiny, 2)), { version: 2 });
      const { minWeightVersion, maxWeightVersion, tokenIds } = await flying;
      expect([minWeightVersion, maxWeightVersion, tokenIds.length]).to.deep.equal([1, 2, 400]);
    });
  });

  it("answers with the last weights after updates between requests, however many", async () => {
    const answers = (seed: number) =>
      withOnnxReplica({}, (replica) => replica.generate(request("x")), randomWeights(tiny, seed));
    const expected = [await answers(2), await answers(3), await answers(4)];
    await withOnnxReplica({}, async (replica) => {
      for (const [i, { tokenIds, logProbs }] of expected.entries()) {
        await replica.receiveWeights(streamOf(randomWeights(tiny, i + 2)), { version: i + 2 });
        const answer = await replica.generate(request("x"));
        expect([answer.tokenIds, answer.logProbs, answer.maxWeightVersion]).to.deep.equal([tokenIds, logProbs, i + 2]);
      }
    });
  });

  it("lets a request that comes during an update wait for the new weights", async () => {
    const fresh = await withOnnxReplica({}, (replica) => replica.generate(request("x")), randomWeights(tiny, 2));
    await withOnnxReplica({}, async (replica) => {
      const update = replica.receiveWeights(streamOf(randomWeights(tiny, 2)), { version: 1 });
      let settled = false;
      void update.then(() => {
        settled = true;
      });
      while (!settled) await replica.generate(request("early", { maxTokens: 1 }));
      expect((await replica.generate(request("x"))).tokenIds).to.deep.equal(fresh.tokenIds);
    });
  });

  it("does not reuse a prompt that the old weights computed", async () => {
    const fresh = await withOnnxReplica({}, (replica) => replica.generate(request("x")), randomWeights(tiny, 2));
    await withOnnxReplica({ maxModelLen: 512 }, async (replica) => {
      const holder = replica.generate(request("holder", { maxTokens: 500 }));
      await replica.generate(request("short", { maxTokens: 5 }));
      await replica.receiveWeights(streamOf(randomWeights(tiny, 2)), { version: 1 });
      expect(await replica.generate(request("x"))).to.deep.equal(fresh);
      await holder;
    });
  });
});
