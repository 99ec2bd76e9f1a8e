import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  actorLoss,
  builtinAdvantageEstimators,
  builtinPolicyLosses,
  sftLoss,
  valueLoss,
} from "../../core/algorithms/index.js";
import { charTokenizerFiles, loadTokenizer, rlhfDatasetFactory } from "../../core/data/index.js";
import { createLlmClient, createLoadBalancer } from "../../core/rollout/index.js";
import {
  advantageConformance,
  clientConformance,
  createFakeReplica,
  datasetConformance,
  lossConformance,
  runConformance,
} from "../../testing/index.js";

const framework = { describe, it };

describe("testing/built-ins", () => {
  const config = {
    clipRatioLow: 0.2,
    clipRatioHigh: 0.2,
    clipRatioC: 3,
    lossAggMode: "token-mean" as const,
    hasRolloutIsWeights: false,
    extra: { dro_beta: 0.5 },
  };
  const vanilla = builtinPolicyLosses.find((loss) => loss.name === "vanilla")!;
  runConformance(
    "the SFT loss",
    lossConformance(() => sftLoss()),
    framework,
  );
  runConformance(
    "the vanilla policy loss",
    lossConformance(() => vanilla.create(config)),
    framework,
  );
  runConformance(
    "the actor's loss with entropy and KL",
    lossConformance(() =>
      actorLoss({
        policyLoss: vanilla.create(config),
        lossAggMode: "seq-mean-token-mean",
        entropyCoeff: 0.01,
        kl: { coef: 0.1, type: "low_var_kl" },
      }),
    ),
    framework,
  );
  runConformance(
    "the value loss",
    lossConformance(() => valueLoss({ clipRange: 0.5, lossAggMode: "token-mean" })),
    framework,
  );
  for (const estimator of builtinAdvantageEstimators) {
    runConformance(`the estimator ${estimator.name}`, advantageConformance(estimator), framework);
  }

  runConformance(
    "the client and the balancer",
    clientConformance({
      make() {
        const balancer = createLoadBalancer();
        return { balancer, client: createLlmClient({ balancer, promptLength: 8, responseLength: 8 }) };
      },
      async makeReplica(rank) {
        const replica = createFakeReplica({ replicaRank: rank, vocabSize: 5, table: new Float32Array(25) });
        await replica.launch();
        return replica;
      },
    }),
    framework,
  );

  let folder = "";
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "verl-dataset-"));
    const rows = ["1", "2", "3"].map((q) =>
      JSON.stringify({ prompt: [{ role: "user", content: q }], data_source: "x" }),
    );
    await writeFile(path.join(folder, "rows.jsonl"), rows.join("\n"));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  runConformance(
    "the rlhf dataset",
    datasetConformance({
      async make() {
        const template = "{{ messages[0]['content'] }}";
        return rlhfDatasetFactory.create({
          files: [path.join(folder, "rows.jsonl")],
          split: "train",
          tokenizer: await loadTokenizer(charTokenizerFiles("123", { pad: "#", eos: ".", chatTemplate: template })),
          config: {
            promptKey: "prompt",
            maxPromptLength: 4,
            filterOverlongPrompts: true,
            maxSamples: -1,
            shuffle: false,
            seed: 1,
            applyChatTemplateKwargs: {},
          },
        });
      },
    }),
    framework,
  );
});
