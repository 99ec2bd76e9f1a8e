/** Times and throughput of a step. */
import { total } from "./metrics.js";

/** Phases whose time is also given per token: of the response, or of prompt and response. */
const PER_RESPONSE_TOKEN = new Set(["gen"]);
const PER_TOKEN = new Set(["ref", "values", "adv", "update_critic", "update_actor"]);

/** `timing_s/<phase>` in seconds, `timing_per_token_ms/<phase>` in milliseconds. */
export function timingMetrics(
  seconds: Readonly<Record<string, number>>,
  tokens: { readonly response: number; readonly total: number },
): Record<string, number> {
  const out: Record<string, number> = {};
  for (const [phase, time] of Object.entries(seconds)) {
    out[`timing_s/${phase}`] = time;
    const count = PER_RESPONSE_TOKEN.has(phase) ? tokens.response : PER_TOKEN.has(phase) ? tokens.total : 0;
    if (count > 0) out[`timing_per_token_ms/${phase}`] = (time * 1000) / count;
  }
  return out;
}

/** Tokens of the batch per second and device. */
export function throughputMetrics(
  sequenceLengths: readonly number[],
  stepSeconds: number,
  devices: number,
): Record<string, number> {
  const tokens = total(sequenceLengths);
  return {
    "perf/total_num_tokens": tokens,
    "perf/time_per_step": stepSeconds,
    "perf/throughput": tokens / (stepSeconds * devices),
  };
}

/** One request of speculative decoding. */
export interface SpeculativeRequest {
  readonly drafted: number;
  readonly accepted: number;
  readonly verifySteps: number;
}

/** Mean accept rate (accepted/drafted) and accept length (1 + accepted/verify steps); 0 where the denominator is 0. */
export function speculativeMetrics(requests: readonly SpeculativeRequest[]): Record<string, number> {
  if (requests.length === 0) return {};
  const average = (f: (r: SpeculativeRequest) => number) => total(requests.map(f)) / requests.length;
  return {
    "rollout/spec_accept_rate": average((r) => (r.drafted > 0 ? r.accepted / r.drafted : 0)),
    "rollout/spec_accept_length": average((r) => (r.verifySteps > 0 ? 1 + r.accepted / r.verifySteps : 0)),
  };
}
