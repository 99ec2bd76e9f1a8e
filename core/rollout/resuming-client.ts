import { setTimeout as delay } from "node:timers/promises";
import type { CallOptions } from "../host/types.js";
import { joinOutputs } from "./join-outputs.js";
import { tokenBudget } from "./llm-client.js";
import type { GenerateRequest, LlmClient, TokenOutput } from "./rollout.js";

/** Limits of the run, in tokens: the budget of a request that names none comes from them. */
export interface ResumeLimits {
  readonly promptLength: number;
  readonly responseLength: number;
}

/** Pauses between tries of a server that answers without a token; one that makes requests wait is asked once. */
const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 1000;

/**
 * A client whose responses survive interruptions, such as a weight update that aborts everything in flight: it goes on with the
 * prompt and the tokens drawn so far, until the response has ended. Every token keeps the log-probability under the weights that
 * drew it; nothing is recomputed. The budget is that of the whole response, and the caller's request is not touched. An abort by
 * the caller's own signal ends the response as `aborted`.
 */
export function resumingClient(client: LlmClient, limits: ResumeLimits): LlmClient {
  return { generate: (request, call) => generateThrough(client, request, limits, call) };
}

async function generateThrough(
  client: LlmClient,
  request: GenerateRequest,
  limits: ResumeLimits,
  { signal }: CallOptions = {},
): Promise<TokenOutput> {
  const budget = tokenBudget(request, limits);
  let output = await client.generate(request, { signal });
  let pause = 0;
  while (output.stopReason === "aborted" && !signal?.aborted) {
    const drawn = output.tokenIds.length;
    if (drawn >= budget) return { ...output, stopReason: "length" };
    if (pause > 0) await delay(pause, undefined, { signal }).catch(() => {});
    if (signal?.aborted) break;
    const piece = await client.generate(continued(request, output.tokenIds, budget), { signal });
    pause = piece.tokenIds.length > 0 ? 0 : Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, 2 * pause));
    output = joinOutputs([output, piece]);
  }
  return output;
}

function continued(request: GenerateRequest, drawn: readonly number[], budget: number): GenerateRequest {
  const { promptIds, sampling, continues = 0 } = request;
  return {
    ...request,
    promptIds: [...promptIds, ...drawn],
    sampling: { ...sampling, maxTokens: budget - drawn.length },
    continues: continues + drawn.length,
  };
}
