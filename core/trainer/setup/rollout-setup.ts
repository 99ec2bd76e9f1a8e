import path from "node:path";
import { createLlmClient, createLoadBalancer, createReplicaSet, type ReplicaSet } from "../../rollout/index.js";
import type { LlmClient, RolloutOptions, ServerAdapter } from "../../rollout/rollout.js";
import type { RunScope } from "../run-scope.js";
import { requireQuantization, requireServedMedia } from "./fitness.js";
import { isFullyDeterministic } from "./full-determinism.js";
import type { PromptInputs } from "./input-setup.js";
import type { ShownMedia } from "./media-setup.js";

export interface RolloutParts {
  readonly replicas: ReplicaSet;
  readonly adapters: readonly ServerAdapter[];
  readonly client: LlmClient;
}

/** Launches the inference server that the configuration names, with its adapter, and a client that routes to it. */
export async function createRollout(
  options: RunScope,
  { tokenizer, media, shown }: PromptInputs & { readonly shown: ShownMedia },
  cleanups: (() => Promise<void>)[],
): Promise<RolloutParts> {
  const { config, services, signal } = options;
  const { rollout } = config.actor_rollout_ref;
  const replicaFactory = services.registries.rollouts.require(rollout.name);
  const adapterFactory = services.registries.serverAdapters.require(rollout.name);
  const replicaOptions: RolloutOptions = {
    ...rolloutOptions(options),
    eosTokenIds: tokenizer.stopTokenIds,
    createDecoder: () => tokenizer.incrementalDecoder(),
    ...(media.kinds.length > 0 ? { media, mmProcessorKwargs: config.data.mm_processor_kwargs } : {}),
    profiler: options.profiler,
  };
  const replica = await replicaFactory.createReplica(replicaOptions);
  requireQuantization(replica, rollout);
  requireServedMedia(replica, shown, rollout.name);
  media.restrict(replica.capabilities.media ?? [], `the rollout ${rollout.name} does not take it`);
  const replicas = createReplicaSet([replica]);
  cleanups.push(() => replicas.dispose());
  await replicas.launch({ signal });
  const adapter = await adapterFactory.createAdapter({ ...replicaOptions, replica });
  cleanups.push(() => adapter.release());
  const balancer = createLoadBalancer({ fullDeterminism: isFullyDeterministic(config) });
  balancer.add(replica);
  const client = createLlmClient({
    balancer,
    promptLength: rollout.prompt_length,
    responseLength: rollout.response_length,
  });
  return { replicas, adapters: [adapter], client };
}

/** What a replica is made from, apart from the tokenizer's part. */
export function rolloutOptions({
  config,
  cwd,
}: Pick<RunScope, "config" | "cwd">): Omit<RolloutOptions, "eosTokenIds" | "createDecoder" | "media"> {
  const { rollout, model } = config.actor_rollout_ref;
  const kwargs = rollout.engine_kwargs[rollout.name];
  return {
    replicaRank: 0,
    model: model.path === null ? { config: model.config ?? {} } : { path: path.resolve(cwd, model.path) },
    maxModelLen: rollout.max_model_len ?? rollout.prompt_length + rollout.response_length,
    maxNumSeqs: rollout.max_num_seqs,
    responseLength: rollout.response_length,
    threads: config.trainer.threads,
    quantization: rollout.quantization,
    extra: typeof kwargs === "object" && kwargs !== null ? { ...kwargs } : {},
  };
}
