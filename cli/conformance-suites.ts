import type { PluginRecord } from "../core/host/index.js";
import { type Host, KINDS, type KindMap } from "../core/index.js";
import {
  type EngineOptions,
  type NamedTensor,
  type PolicyLossConfig,
  type RolloutFactory,
  type RolloutOptions,
  reasonOf,
  type ToolFactory,
} from "../core/plugin.js";
import * as testing from "../testing/index.js";

/** The cases that something a plugin registered has to pass. */
export interface Suite {
  /** Of the registry, or `plugin` for the plugin as a whole. */
  readonly kind: string;
  /** Kind and registered names. */
  readonly name: string;
  readonly cases: readonly testing.ConformanceCase[];
  /** Why there are none. */
  readonly skipped?: string;
}

type Cases = readonly testing.ConformanceCase[] | string;
/** Cases for an item of each kind, or why there are none. */
type SuiteMakers = { readonly [K in keyof KindMap]: (item: KindMap[K], host: Host) => Cases | Promise<Cases> };

/** Engines and rollouts are tried on a Llama of some thousand weights. */
const CONFIG = {
  model_type: "llama",
  vocab_size: 16,
  hidden_size: 16,
  intermediate_size: 24,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  max_position_embeddings: 1024,
};
const ENGINE: Omit<EngineOptions, "optimizer"> = {
  model: { config: CONFIG, initSeed: 1 },
  topology: { rank: 0, size: 1, isOutputSource: true },
  threads: 1,
  seed: 1,
  extra: {},
};
const LOSS: PolicyLossConfig = {
  clipRatioLow: 0.2,
  clipRatioHigh: 0.2,
  clipRatioC: null,
  lossAggMode: "token-mean",
  hasRolloutIsWeights: false,
  extra: {},
};

const OWN_TESTS = "no suite is general enough for it; its own tests must do";

const SUITES: SuiteMakers = {
  platforms: (item) => testing.platformConformance(() => item),
  engines: (item) => testing.engineConformance(({ optimizer }) => item.create({ ...ENGINE, optimizer })),
  rollouts: rolloutCases,
  serverAdapters: () => "tested with its rollout",
  transferQueues: (item) =>
    testing.transferQueueConformance({ make: (options) => item.create({ ...options, extra: {} }) }),
  replayBuffers: (item) => testing.replayBufferConformance({ make: (options) => item.create(options) }),
  agentLoops: (item) => testing.agentLoopConformance({ factory: item }),
  agentLoopManagers: () => OWN_TESTS,
  tools: toolCases,
  toolParsers: (item) => testing.toolParserConformance({ parser: item, texts: ["", "A text without calls."] }),
  rewardManagers: (item) => testing.rewardManagerConformance({ make: (options) => item.create(options) }),
  rewardModels: () => "it needs weights or a server; run rewardModelConformance in its own tests",
  scorers: () => OWN_TESTS,
  advantageEstimators: (item) => testing.advantageConformance(item),
  policyLosses: (item) => testing.lossConformance(() => item.create(LOSS)),
  datasets: () => OWN_TESTS,
  trainers: () => OWN_TESTS,
  sandboxes: (item) => testing.sandboxConformance({ factory: item }),
  tracers: (item) => testing.tracerConformance({ factory: item }),
  trackers: (item) => testing.trackerConformance({ factory: item }),
  hooks: () => OWN_TESTS,
};

/** The suite of the plugin itself, then one for each thing that it registered. */
export async function conformanceSuites(host: Host, record: PluginRecord, folder: string): Promise<Suite[]> {
  const suites: Suite[] = [{ kind: "plugin", name: "plugin", cases: testing.pluginConformance(folder) }];
  for (const registry of Object.keys(KINDS) as (keyof KindMap)[]) {
    suites.push(...(await suitesOf(registry, host, record)));
  }
  return suites;
}

async function suitesOf<K extends keyof KindMap>(registry: K, host: Host, record: PluginRecord): Promise<Suite[]> {
  const { kind, items } = host.registries[registry];
  const suites: Suite[] = [];
  for (const { item, keys, owner } of items()) {
    if (owner.name !== record.name) continue;
    const name = `${kind} ${keys.join(", ")}`;
    const cases = await SUITES[registry](item as KindMap[K], host);
    suites.push(typeof cases === "string" ? { kind, name, cases: [], skipped: cases } : { kind, name, cases });
  }
  return suites;
}

/** A tool that needs an entry of its own cannot be made without one. */
async function toolCases(item: ToolFactory): Promise<Cases> {
  try {
    const group = await item.create({
      ...testing.toolFactoryOptions(),
      sandbox: async () => testing.createFakeSandbox(),
    });
    await group.dispose?.();
  } catch (error) {
    return `it makes nothing of an empty entry: ${reasonOf(error).split("\n")[0]}`;
  }
  return testing.toolConformance({ factory: item });
}

/** The weights come from the default engine of this machine, as in a run. */
async function rolloutCases(item: RolloutFactory, host: Host): Promise<Cases> {
  const adapters = host.registries.serverAdapters.get(item.name);
  if (!adapters) return `there is no serverAdapter "${item.name}" to feed it`;
  const services = await host.services({ device: "cpu" });
  const weights = async (seed: number) => {
    const options = { ...ENGINE, model: { config: CONFIG, initSeed: seed }, optimizer: null };
    const engine = await services.createEngine("language_model", null, options);
    try {
      await engine.initialize();
      const tensors: NamedTensor[] = [];
      for await (const tensor of engine.getPerTensorParam()) {
        tensors.push({ ...tensor, data: tensor.data.slice() as NamedTensor["data"] });
      }
      return tensors;
    } finally {
      await engine.dispose();
    }
  };
  try {
    await weights(1);
  } catch (error) {
    return `no engine of this machine can make weights: ${reasonOf(error).split("\n")[0]}`;
  }
  return testing.rolloutConformance(() => ({
    vocabSize: CONFIG.vocab_size,
    async create(demands) {
      const options: RolloutOptions = { ...demands, model: { config: CONFIG }, threads: 1, extra: {} };
      const replica = await item.createReplica(options);
      return { replica, adapter: await adapters.createAdapter({ ...options, replica }) };
    },
    weights: async function* (seed) {
      yield* await weights(seed);
    },
  }));
}
