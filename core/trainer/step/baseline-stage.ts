import type { RunParts } from "../run-parts.js";
import type { PromptFeed } from "../sampling/prompt-feed.js";
import { readRows } from "../sampling/sampled-group.js";
import { finalRows } from "./training-row.js";

/**
 * The score of one greedy response to each prompt, by the prompt's uid (Li et al., "ReMax", 2310.10505). Prompts whose
 * response failed or was given no score are missing. The responses are not trained on.
 */
export async function sampleBaselines(
  parts: Pick<RunParts, "config" | "queue" | "replay" | "lateRewards" | "media" | "vocabSize" | "weights">,
  feed: Pick<PromptFeed, "submitBaselines">,
  uids: readonly string[],
  scope: { readonly globalStep: number; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, number>> {
  const { globalStep, signal } = scope;
  await parts.weights.wake();
  const promptOf = await feed.submitBaselines(uids, globalStep, signal);
  const sampled = await parts.replay.sample({
    globalStep,
    partition: "val",
    groups: promptOf.size,
    deadlineMs: parts.config.trainer.sample_deadline_s * 1000,
    signal,
  });
  signal.throwIfAborted();
  const rows = finalRows(await readRows(parts, sampled, "val"));
  await parts.queue.clear("val", sampled.batch.keys);
  await parts.weights.sleep();
  return new Map(
    rows.flatMap(({ uid, score }): [string, number][] => {
      const prompt = promptOf.get(uid);
      return prompt === undefined || score === null ? [] : [[prompt, score]];
    }),
  );
}
