import { contentText, mediaLabel } from "../data/index.js";
import type { CallOptions, JsonValue } from "../host/types.js";
import { ATTRIBUTE, type SpanAttributes, type Tracer, withTracer } from "../tracing/index.js";
import type { RewardResult } from "./reward.js";
import type { ChatAnswer, ChatRequest, Judge, JudgeCallOptions } from "./servers/judge.js";

/**
 * The span of one call of a scorer, function or model, from its beginning proper: what the trajectory waited for before is in
 * the reward's span alone. Every try is one.
 */
export function tracedScore(tracer: Tracer, name: string, score: () => Promise<RewardResult>): Promise<RewardResult> {
  return tracer.span({ kind: "score", name }, async (span) => {
    const result = await withTracer(tracer, score);
    span.set({ [ATTRIBUTE.outcome]: result.outcome, [ATTRIBUTE.score]: result.score ?? undefined });
    return result;
  });
}

/** A judge whose requests are spans, of a tracer that is asked for at each of them. */
export function tracedJudge(judge: Judge, tracerOf: () => Tracer): Judge {
  const start = { kind: "judge", name: "judge", attributes: { [ATTRIBUTE.model]: judge.model } } as const;
  return {
    model: judge.model,
    get address() {
      return judge.address;
    },
    chat: (request: ChatRequest, call?: JudgeCallOptions) => {
      const tracer = tracerOf();
      return tracer.span(start, async (span) => {
        if (tracer.wantsText) span.set({ [ATTRIBUTE.promptText]: promptText(request, call) });
        const answer = await judge.chat(request, call);
        span.set({
          ...usageOf(answer),
          [ATTRIBUTE.finishReasons]: answer.finishReason === null ? undefined : [answer.finishReason],
          [ATTRIBUTE.responseText]: tracer.wantsText ? answer.text : undefined,
        });
        return answer;
      });
    },
    post: (path: string, body: JsonValue, call?: CallOptions) =>
      tracerOf().span(start, () => judge.post(path, body, call)),
  };
}

/** The messages, with the names of media in place of their bytes. */
function promptText({ messages }: ChatRequest, { media = [] }: JudgeCallOptions = {}): string {
  const named = messages.map((message) => ({ ...message, content: contentText(message.content) }));
  return [...media.map(mediaLabel), JSON.stringify(named)].join("\n");
}

/** Tokens, where the server counts them. */
function usageOf({ response }: ChatAnswer): SpanAttributes {
  const usage = response.usage as { readonly [name: string]: JsonValue } | null | undefined;
  const count = (value: JsonValue | undefined) => (typeof value === "number" ? value : undefined);
  return {
    [ATTRIBUTE.inputTokens]: count(usage?.prompt_tokens),
    [ATTRIBUTE.outputTokens]: count(usage?.completion_tokens),
  };
}
