import { rolloutErrors } from "./errors.js";
import type { GenerateRequest, RolloutCapabilities, RolloutOptions, SamplingParams } from "./rollout.js";

export interface RequestLimits extends Pick<RolloutOptions, "maxModelLen" | "responseLength" | "createDecoder"> {
  readonly vocabSize: number;
  /** Kinds of media that the server takes; absent: none. */
  readonly mediaKinds?: RolloutCapabilities["media"];
}

/**
 * Checks a request before it costs anything and settles its budget of new tokens: `maxTokens`, else the response
 * length, in either case at most what the context has left.
 */
export function checkRequest(request: GenerateRequest, limits: RequestLimits): { readonly maxTokens: number } {
  const { requestId, promptIds, sampling, continues = 0 } = request;
  const where = `request ${requestId}`;
  if (promptIds.length === 0) {
    throw rolloutErrors.VERL_ROLLOUT_BAD_REQUEST({ what: "The prompt is empty", where });
  }
  for (let i = 0; i < promptIds.length; i++) {
    const id = promptIds[i];
    if (Number.isInteger(id) && id >= 0 && id < limits.vocabSize) continue;
    throw rolloutErrors.VERL_ROLLOUT_BAD_REQUEST({
      what: `Token id ${id} at position ${i} is not in the vocabulary (0 to ${limits.vocabSize - 1})`,
      where,
      fix: "Encode the prompt with the tokenizer of the served model.",
    });
  }
  const room = limits.maxModelLen - promptIds.length;
  if (room < 1) {
    throw rolloutErrors.VERL_ROLLOUT_PROMPT_TOO_LONG({
      what: `The prompt has ${promptIds.length} tokens; prompt and response together may have ${limits.maxModelLen}`,
      where,
    });
  }
  if (!(Number.isInteger(continues) && continues >= 0 && continues <= promptIds.length)) {
    throw rolloutErrors.VERL_ROLLOUT_BAD_REQUEST({
      what: `continues is ${continues}; it counts tokens of the prompt, of which there are ${promptIds.length}`,
      where,
    });
  }
  checkMedia(request, limits);
  const problem = samplingProblem(sampling, limits);
  if (problem) throw rolloutErrors.VERL_ROLLOUT_BAD_REQUEST({ what: problem, where });
  return { maxTokens: Math.min(sampling.maxTokens ?? limits.responseLength, room) };
}

/** A server that ignored media would answer a question that nobody asked. */
function checkMedia(
  { requestId, promptIds, media = [] }: GenerateRequest,
  { mediaKinds: kinds = [] }: RequestLimits,
): void {
  const where = `request ${requestId}`;
  let end = 0;
  for (const { kind, offset, length } of media) {
    if (!kinds.includes(kind)) {
      throw rolloutErrors.VERL_ROLLOUT_NO_MEDIA({
        what: `The request holds a medium of the kind ${kind}`,
        where,
        why: kinds.length > 0 ? `The server takes ${kinds.join(", ")}.` : "The server takes text alone.",
      });
    }
    if (offset < end || length < 1 || offset + length > promptIds.length) {
      throw rolloutErrors.VERL_ROLLOUT_BAD_REQUEST({
        what: `A medium stands at tokens ${offset} to ${offset + length - 1} of ${promptIds.length}, after one that ends at ${end}`,
        where,
      });
    }
    end = offset + length;
  }
}

function samplingProblem(sampling: SamplingParams, limits: RequestLimits): string | null {
  const { temperature, topP, topK, minP = 0, repetitionPenalty = 1, maxTokens = 1, stop = [] } = sampling;
  if (!(temperature >= 0 && Number.isFinite(temperature))) return `temperature is ${temperature}; it must be 0 or more`;
  if (!(topP > 0 && topP <= 1)) return `topP is ${topP}; it must be above 0 and at most 1`;
  if (!(Number.isInteger(topK) && topK >= -1)) return `topK is ${topK}; it must be a positive integer, or −1 for off`;
  if (!(minP >= 0 && minP <= 1)) return `minP is ${minP}; it must lie in 0…1`;
  if (!(repetitionPenalty > 0 && Number.isFinite(repetitionPenalty))) {
    return `repetitionPenalty is ${repetitionPenalty}; it must be above 0`;
  }
  if (!(Number.isInteger(maxTokens) && maxTokens >= 1)) return `maxTokens is ${maxTokens}; it must be 1 or more`;
  if (stop.length > 0 && !limits.createDecoder) return "stop texts need a tokenizer, and this server was given none";
  return null;
}
