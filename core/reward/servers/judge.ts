import { chatPart, type ReadableMedium } from "../../data/media/readable-media.js";
import type { ChatContentPart } from "../../data/tokenizer.js";
import type { CallOptions, JsonValue } from "../../host/types.js";
import {
  aFlag,
  aFunction,
  anObject,
  aSignal,
  aText,
  type OptionForms,
  optional,
  orNull,
  requireOptions,
  texts,
  wholeFrom,
} from "../../host/util/given-options.js";
import { isObject, objectOf } from "../../host/util/plain-object.js";
import { ambientTracer } from "../../tracing/index.js";
import { rewardErrors } from "../errors.js";
import { tracedJudge } from "../traced-parts.js";
import { whyLacking } from "./broken-answer.js";
import { MergedCalls, type TellState } from "./merged-calls.js";
import { createServerClient, type ServerClient, type ServerOptions } from "./server-client.js";

/** A model behind an OpenAI-compatible server that judges responses. */
export interface Judge {
  /** Name of the model on the servers. */
  readonly model: string;
  /** `host:port` of a router over the servers, for OpenAI clients; null where the judge was made without one. */
  readonly address: string | null;
  /** `POST /v1/chat/completions`. Equal requests that are under way at the same time are sent once. */
  chat(request: ChatRequest, options?: JudgeCallOptions): Promise<ChatAnswer>;
  /** `POST` of anything else; `path` begins with a slash. */
  post(path: string, body: JsonValue, options?: CallOptions): Promise<JsonValue>;
}

export interface JudgeCallOptions extends CallOptions {
  /**
   * Shown to the judge before the text of the last user message, as parts with data URLs (`image_url`). Nothing is shown that is not
   * named here or in the messages.
   */
  readonly media?: readonly ReadableMedium[];
}

/** The body of a request; `model` is added. */
export interface ChatRequest {
  readonly messages: readonly ChatRequestMessage[];
  /** `temperature`, `max_tokens`, `response_format`, … */
  readonly [option: string]: JsonValue | readonly ChatRequestMessage[] | undefined;
}

export interface ChatRequestMessage {
  readonly role: string;
  /** A text, or OpenAI's parts; `chatPart` makes one of a medium. */
  readonly content: string | readonly ChatContentPart[];
}

export interface ChatAnswer {
  /** Of the first choice; empty where it has none. */
  readonly text: string;
  readonly finishReason: string | null;
  /** The whole answer. */
  readonly response: { readonly [name: string]: JsonValue };
}

export interface JudgeOptions extends ServerOptions {
  readonly model: string;
  /** Default true. With a temperature above 0, equal requests that overlap get the same sample. */
  readonly mergeRequests?: boolean;
}

/**
 * A judge for reward functions: requests go to the least busy of the servers, are tried again where that can help (never
 * after a 4xx other than 429), and end with the `signal` that they are given, which a reward function has from its deadline.
 * Within a run they are spans of whatever they are sent in: a score, a tool call, a session.
 */
export function createJudge(options: JudgeOptions): Judge {
  requireOptions<JudgeOptions>("createJudge", options, JUDGE);
  return tracedJudge(judgeOver(createServerClient(options), options), ambientTracer);
}

const JUDGE: OptionForms<JudgeOptions> = {
  addresses: texts,
  model: aText,
  apiKeyEnv: optional(orNull(aText)),
  env: optional(anObject),
  maxConcurrent: optional(wholeFrom(1)),
  maxTries: optional(wholeFrom(1)),
  waitMs: optional(aFunction),
  mergeRequests: optional(aFlag),
  fullDeterminism: optional(aFlag),
  warn: optional(aFunction),
  where: optional(aText),
};
const CALL: OptionForms<CallOptions> = { signal: optional(aSignal) };
const CHAT: OptionForms<JudgeCallOptions> = { ...CALL, media: optional(mediaAsGiven) };

export function judgeOver(
  client: ServerClient,
  {
    model,
    mergeRequests = true,
    address,
  }: Pick<JudgeOptions, "model" | "mergeRequests"> & { address?: () => string | null },
): Judge {
  const merged = new MergedCalls<JsonValue>();
  const post = async (path: string, body: JsonValue, options?: CallOptions): Promise<JsonValue> => {
    if (options !== undefined) requireOptions<CallOptions>("a judge's request", options, CALL);
    const send = (signal?: AbortSignal, tell?: TellState) => client.request("POST", path, body, { signal, tell });
    return mergeRequests ? merged.run(`${path} ${JSON.stringify(body)}`, send, options) : send(options?.signal);
  };
  return {
    model,
    get address() {
      return address?.() ?? null;
    },
    post,
    async chat(request, options) {
      // A signal that is not in an object of options would be passed over, and no deadline would end the request.
      if (options !== undefined) requireOptions<JudgeCallOptions>("a judge's request", options, CHAT);
      const { media = [], ...call } = options ?? {};
      const messages = await withMedia(request.messages, media, call);
      const answer = await post("/v1/chat/completions", { model, ...request, messages } as unknown as JsonValue, call);
      return readAnswer(answer);
    },
  };
}

function mediaAsGiven(value: unknown): string | null {
  const isMedium = (item: unknown) => isObject(item) && typeof item.dataUrl === "function";
  return Array.isArray(value) && value.every(isMedium) ? null : "a list of media as functions get them";
}

/** The media before the text of the last user message, or in one of their own where there is none. */
async function withMedia(
  messages: readonly ChatRequestMessage[],
  media: readonly ReadableMedium[],
  call: CallOptions,
): Promise<readonly ChatRequestMessage[]> {
  if (media.length === 0) return messages;
  const parts = await Promise.all(media.map((medium) => chatPart(medium, call)));
  const at = messages.findLastIndex(({ role }) => role === "user");
  if (at < 0) return [...messages, { role: "user", content: parts }];
  const { content, ...message } = messages[at];
  const own = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return messages.with(at, { ...message, content: [...parts, ...own] });
}

function readAnswer(answer: JsonValue): ChatAnswer {
  const response = objectOf(answer);
  const { choices } = response;
  const first = Array.isArray(choices) ? objectOf(choices[0] as JsonValue | undefined) : {};
  if (Object.keys(first).length === 0) {
    throw rewardErrors.VERL_REWARD_SERVER_FAILED({
      what: "the judge's answer has no choices",
      why: whyLacking(answer),
      fix: "take a server that answers /v1/chat/completions as OpenAI does",
    });
  }
  const { content } = objectOf(first.message);
  const { finish_reason: reason } = first;
  return {
    text: typeof content === "string" ? content : "",
    finishReason: typeof reason === "string" ? reason : null,
    response,
  };
}
