import type { PluginRecord } from "../../core/host/index.js";
import { createHost, type Host, KINDS, type KindMap } from "../../core/index.js";
import {
  type DatasetFactory,
  type EngineOptions,
  MEDIA_KINDS,
  type NamedTensor,
  type PolicyLossConfig,
  type ProcessorFactory,
  type RewardModelFactory,
  type RolloutFactory,
  type RolloutOptions,
  reasonOf,
  type SandboxFactory,
  type ToolFactory,
} from "../../core/plugin.js";
import * as testing from "../../testing/index.js";
import { BUILTINS } from "../builtins.js";

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
type SuiteMakers = {
  readonly [K in keyof KindMap]: (item: KindMap[K], host: Host, folder: string) => Cases | Promise<Cases>;
};

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
const SERVER: RolloutOptions = {
  replicaRank: 0,
  model: { config: CONFIG },
  maxModelLen: 48,
  maxNumSeqs: 4,
  responseLength: 12,
  eosTokenIds: [],
  createDecoder: null,
  threads: 1,
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

/** For every kind. What a suite cannot make here is said instead; a kind without a suite does not compile. */
const SUITES: SuiteMakers = {
  platforms: (item) => testing.platformConformance(() => item),
  engines: (item) => [
    ...testing.engineConformance(({ optimizer }) => item.create({ ...ENGINE, optimizer })),
    ...(item.check
      ? testing.engineCheckConformance({ factory: item, options: { ...ENGINE, optimizer: testing.FAKE_OPTIMIZER } })
      : []),
  ],
  rollouts: rolloutCases,
  serverAdapters: adapterCases,
  transferQueues: (item) =>
    testing.transferQueueConformance({ make: (options) => item.create({ ...options, extra: {} }) }),
  replayBuffers: (item) => testing.replayBufferConformance({ make: (options) => item.create(options) }),
  agentLoops: (item) => testing.agentLoopConformance({ factory: item }),
  agentLoopManagers: (item) => testing.agentLoopManagerConformance({ factory: item }),
  tools: toolCases,
  toolParsers: (item) => testing.toolParserConformance({ parser: item, texts: ["", "A text without calls."] }),
  rewardManagers: (item) => testing.rewardManagerConformance({ make: (options) => item.create(options) }),
  rewardModels: rewardModelCases,
  scorers: (item) => testing.scorerConformance({ scorer: item }),
  advantageEstimators: (item) => testing.advantageConformance(item),
  policyLosses: (item) => testing.lossConformance(() => item.create(LOSS)),
  datasets: datasetCases,
  processors: processorCases,
  samplers: (item) => testing.samplerConformance({ factory: item }),
  trainers: ({ mode }, _, folder) =>
    testing.trainerConformance({
      mode,
      createHost: (options) => createHost({ ...options, builtins: BUILTINS }),
      plugins: [folder],
    }),
  sandboxes: sandboxCases,
  tracers: (item) => testing.tracerConformance({ factory: item }),
  trackers: (item) => testing.trackerConformance({ factory: item }),
  hooks: (item) => testing.hooksConformance({ make: () => item }),
  commands: (item, { registries }) => testing.commandConformance({ command: item, registries }),
};

/** The suite of the plugin itself, then one for each thing that it registered. */
export async function conformanceSuites(host: Host, record: PluginRecord, folder: string): Promise<Suite[]> {
  // As in a run: what was registered may ask for the platform from now on.
  await host.services({ device: "cpu" });
  const suites: Suite[] = [{ kind: "plugin", name: "plugin", cases: testing.pluginConformance(folder) }];
  for (const registry of Object.keys(KINDS) as (keyof KindMap)[]) {
    suites.push(...(await suitesOf(registry, host, record, folder)));
  }
  return suites;
}

async function suitesOf<K extends keyof KindMap>(
  registry: K,
  host: Host,
  record: PluginRecord,
  folder: string,
): Promise<Suite[]> {
  const { kind, items } = host.registries[registry];
  const suites: Suite[] = [];
  for (const { item, keys, owner } of items()) {
    if (owner.name !== record.name) continue;
    const name = `${kind} ${keys.join(", ")}`;
    const cases = await SUITES[registry](item as KindMap[K], host, folder);
    suites.push(typeof cases === "string" ? { kind, name, cases: [], skipped: cases } : { kind, name, cases });
  }
  return suites;
}

/** One that serves somebody else's rollout is tried with that. */
async function adapterCases({ name }: KindMap["serverAdapters"], host: Host): Promise<Cases> {
  const { rollouts, serverAdapters } = host.registries;
  const rollout = rollouts.get(name);
  if (!rollout) return `there is no rollout "${name}" to feed`;
  const isOwn = rollouts.ownerOf(name)?.name === serverAdapters.ownerOf(name)?.name;
  return isOwn ? "tested with its rollout" : rolloutCases(rollout, host);
}

/** Data that lies in files is not at hand. */
async function datasetCases(item: DatasetFactory): Promise<Cases> {
  const make = () => item.create(testing.datasetOptions());
  const reason = await whyNot(make);
  return reason === null ? testing.datasetConformance({ make }) : `it makes no data set without files: ${reason}`;
}

/** Its model's tokenizer and media are not at hand: it is tried with plain ones, where it takes them. */
async function processorCases(item: ProcessorFactory): Promise<Cases> {
  const tokenizer = testing.createToyTokenizer({ media: true });
  const make = () => item.create({ model: { config: CONFIG }, tokenizer, kwargs: {} });
  const samples = [
    { kind: "image", bytes: testing.solidPng(64, 48, [255, 0, 0]) },
    { kind: "image", bytes: testing.solidPng(40, 72, [0, 128, 255]) },
    { kind: "audio", bytes: testing.toneWav(0.5, 440) },
    { kind: "audio", bytes: testing.toneWav(0.25, 1000) },
  ] as const;
  let own: readonly (typeof samples)[number][] = [];
  const reason = await whyNot(async () => {
    const { placeholders, dispose } = await make();
    own = samples.filter(({ kind }) => placeholders[kind] !== undefined);
    await dispose?.();
    const [kind] = MEDIA_KINDS.filter((one) => placeholders[one] !== undefined);
    if (own.length === 0) throw new Error(`there is no sample of the kind ${kind}`);
  });
  if (reason !== null) return `it cannot be tried here, run processorConformance in its own tests: ${reason}`;
  return testing.processorConformance({ make, tokenizer, samples: own });
}

/** Programs are Python's; of a sandbox that runs something else only the rest is tried. */
async function sandboxCases(item: SandboxFactory): Promise<Cases> {
  const probe = await item.probe({ extra: {} });
  if (!probe.available || probe.languages.includes("python")) return testing.sandboxConformance({ factory: item });
  return testing.sandboxConformance({ factory: item, programs: { language: probe.languages[0] } });
}

/** Its engine, if it asks for one, has random weights. Servers are not at hand. */
async function rewardModelCases(item: RewardModelFactory, host: Host): Promise<Cases> {
  const services = await host.services({ device: "cpu" });
  const make = () =>
    item.create({
      modelName: "conformance",
      servers: () => {
        throw new Error("no servers are named here");
      },
      openEngine: () => services.createEngine("reward_model", null, { ...ENGINE, optimizer: null }),
      tokenizer: testing.createToyTokenizer(),
      maxTokens: 1024,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
  const reason = await whyNot(async () => {
    const model = await make();
    await model.start().finally(() => model.dispose());
  });
  if (reason !== null) return `it cannot start here, run rewardModelConformance in its own tests: ${reason}`;
  const conversations = [
    [2, 3, 4],
    [2, 5, 6, 7, 8],
    [9, 2],
  ].map((ids) => ({ text: ids.map((id) => String.fromCharCode(95 + id)).join(""), ids }));
  return testing.rewardModelConformance({ make, conversations });
}

/** The first line of what something throws; null if it does not. */
async function whyNot(work: () => unknown): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    return reasonOf(error).split("\n")[0];
  }
}

/** A tool that needs an entry of its own cannot be made without one. */
async function toolCases(item: ToolFactory): Promise<Cases> {
  const options = { ...testing.toolFactoryOptions(), sandbox: async () => testing.createFakeSandbox() };
  const reason = await whyNot(async () => (await item.create(options)).dispose?.());
  return reason === null ? testing.toolConformance({ factory: item }) : `it makes nothing of an empty entry: ${reason}`;
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
  const reason = await whyNot(() => weights(1));
  if (reason !== null) return `no engine of this machine can make weights: ${reason}`;
  const suite = testing.rolloutConformance(() => ({
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
  return [...suite, ...(item.check ? testing.rolloutCheckConformance({ factory: item, options: SERVER }) : [])];
}
