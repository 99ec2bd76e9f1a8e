import { setMaxListeners } from "node:events";
import { TraceSample, tracedClient } from "../../agent/index.js";
import {
  type ChatMessage,
  dataErrors,
  type EncodedMedia,
  encodePrompt,
  mediaPartsOf,
  placeMedia,
} from "../../data/index.js";
import { ATTRIBUTE } from "../../tracing/index.js";
import { checkPlan, requirePlan } from "../plan/plan-check.js";
import type { RunScope } from "../run-scope.js";
import { requireWeights } from "../setup/engine-options.js";
import type { PromptInputs } from "../setup/input-setup.js";
import { createRollout } from "../setup/rollout-setup.js";
import { serveAdapter } from "../setup/serve-adapter.js";
import { createCommandTracer, runGauges } from "../setup/tracing-setup.js";

export interface GenerationPrompt {
  /** Names the prompt: its draws depend on it and on `rollout.seed`. */
  readonly id: string;
  readonly messages: readonly ChatMessage[];
}

export interface Generation {
  readonly id: string;
  /** `rollout.n` responses without special tokens. */
  readonly responses: readonly string[];
  readonly stopReasons: readonly string[];
}

/** Sample `rollout.n` responses to each prompt with a model as it is on disk, yielding them in order. */
export async function* generateResponses(
  scope: RunScope,
  prompts: Iterable<GenerationPrompt>,
  inputs: PromptInputs,
): AsyncGenerator<Generation> {
  const { config, signal } = scope;
  const { rollout } = config.actor_rollout_ref;
  requireWeights(config);
  const cleanups: (() => Promise<void>)[] = [];
  try {
    requirePlan(await checkPlan(scope, { algorithm: null, totalSteps: 0, owners: ["rollout"] }), scope.logger);
    const { tokenizer } = inputs;
    const { client, adapters, replicas } = await createRollout(scope, { ...inputs, shown: new Map() }, cleanups);
    await serveAdapter(scope, { adapters });
    const tracer = await createCommandTracer(scope, "generate");
    cleanups.push(() => tracer.finish());
    tracer.observe?.(() => runGauges(null, replicas));
    const all = [...prompts];
    const ids = all.map(({ id }) => id);
    const workers = ids.map(() => 0);
    const isTraced = new TraceSample(tracer.promptsPerWorker).choose(ids, workers, "generate");
    const traced = tracedClient(client, tracer, tokenizer, ({ requestId }) => {
      const [, id, session] = /^(.*)_(\d+)$/s.exec(requestId) ?? [];
      const attributes = { [ATTRIBUTE.trajectory]: requestId, [ATTRIBUTE.rolloutN]: Number(session) };
      return { root: true, traced: isTraced(id), attributes };
    });
    const sampled = rollout.do_sample ? rollout.temperature : 0;
    // Every request in flight listens to it.
    setMaxListeners(0, signal);
    const run = async ({ id, messages }: GenerationPrompt): Promise<Generation> => {
      const { ids: promptIds, media } = await promptTokens(messages, inputs, scope);
      const outputs = await Promise.all(
        Array.from({ length: rollout.n }, (_, session) =>
          traced.generate(
            {
              requestId: `${id}_${session}`,
              promptIds,
              ...(media.length > 0 ? { media } : {}),
              seed: rollout.seed,
              sampling: {
                temperature: sampled,
                topP: rollout.top_p,
                topK: rollout.top_k,
                minP: rollout.min_p,
                repetitionPenalty: rollout.repetition_penalty,
                stop: rollout.stop,
                ignoreEos: rollout.ignore_eos,
                logProbs: false,
              },
            },
            { signal },
          ),
        ),
      );
      return {
        id,
        responses: outputs.map((output) => tokenizer.decode(output.tokenIds, { skipSpecialTokens: true })),
        stopReasons: outputs.map((output) => output.stopReason),
      };
    };
    yield* inOrder(all, run, 2 * rollout.max_num_seqs);
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

/** What a training run would send: a prompt that is too long is refused, or loses its beginning (`data.truncation`). */
async function promptTokens(
  messages: readonly ChatMessage[],
  { tokenizer, media }: PromptInputs,
  { config, logger, signal }: RunScope,
): Promise<EncodedMedia> {
  const { data, actor_rollout_ref } = config;
  const limit = actor_rollout_ref.rollout.prompt_length;
  const taken = await media.take(messages, { signal });
  const rendered = encodePrompt(tokenizer, taken.messages, { kwargs: data.apply_chat_template_kwargs });
  const encoded = placeMedia(rendered, mediaPartsOf(taken.messages), taken.tokens);
  const { ids } = encoded;
  if (ids.length <= limit) return encoded;
  // A medium cannot be cut.
  if (data.truncation === "error" || encoded.media.length > 0) {
    throw dataErrors.VERL_DATA_PROMPT_TOO_LONG({
      what: `the prompt has ${ids.length} tokens, more than data.max_prompt_length = ${limit}`,
    });
  }
  logger.warn(`a prompt of ${ids.length} tokens loses its beginning: data.max_prompt_length = ${limit}`);
  return { ids: ids.slice(-limit), media: [] };
}

/** At most `limit` calls at a time; results in the order of the items. */
async function* inOrder<A, B>(items: Iterable<A>, work: (item: A) => Promise<B>, limit: number): AsyncGenerator<B> {
  const running: Promise<B>[] = [];
  for (const item of items) {
    const promise = work(item);
    promise.catch(() => {});
    running.push(promise);
    if (running.length >= limit) yield running.shift()!;
  }
  yield* running;
}
