import { contentText } from "../../data/index.js";
import { hashText } from "../../data/random.js";
import type { Tokenizer } from "../../data/tokenizer.js";
import type { RewardResult } from "../../reward/index.js";
import type { GenerateRequest, LlmClient } from "../../rollout/rollout.js";
import { ATTRIBUTE, noTracer, type SpanStart, type Tracer } from "../../tracing/index.js";
import { sessionName } from "../../transfer/index.js";
import { textWithMedia } from "../prompts/media-text.js";
import type { RequestedCall } from "../tools/requested-call.js";
import type { ToolCallRecord } from "../tools/tool-executor.js";
import type { PromptRun } from "./prompt-run.js";

/** The span of a session: a trace of its own. */
export function sessionSpan(prompt: PromptRun, session: number): SpanStart {
  const { task, factory, partition, globalStep, dataSource, traced } = prompt;
  const { index = task.draw } = (task.row.extra_info ?? {}) as { readonly index?: unknown };
  return {
    kind: "session",
    name: factory.name,
    root: true,
    traced,
    attributes: {
      [ATTRIBUTE.step]: globalStep,
      [ATTRIBUTE.validate]: partition === "val",
      [ATTRIBUTE.sampleIndex]: typeof index === "number" || typeof index === "string" ? index : task.draw,
      [ATTRIBUTE.rolloutN]: session,
      [ATTRIBUTE.trajectory]: sessionName(task.uid, session),
      [ATTRIBUTE.dataSource]: dataSource,
      [ATTRIBUTE.agent]: factory.name,
    },
  };
}

/** A client whose requests are spans; `place` says of one that no session is around whose it is. */
export function tracedClient(
  client: LlmClient,
  tracer: Tracer,
  tokenizer: Pick<Tokenizer, "decode">,
  place: (request: GenerateRequest) => Partial<SpanStart> = () => ({}),
): LlmClient {
  if (tracer === noTracer) return client;
  return {
    generate: (request, options) =>
      tracer.span({ kind: "generate", name: "generate", ...place(request) }, async (span) => {
        const output = await client.generate(request, options);
        span.set({
          [ATTRIBUTE.inputTokens]: request.promptIds.length,
          [ATTRIBUTE.outputTokens]: output.tokenIds.length,
          [ATTRIBUTE.finishReasons]: [output.stopReason],
          [ATTRIBUTE.weightVersion]: output.maxWeightVersion,
          ...(tracer.wantsText
            ? {
                [ATTRIBUTE.promptText]: textWithMedia(tokenizer, request.promptIds, request.media),
                [ATTRIBUTE.responseText]: tokenizer.decode(output.tokenIds),
              }
            : {}),
        });
        return output;
      }),
  };
}

/** The span of a call. A name that no tool has was made up by the model. */
export function tracedCall(
  tracer: Tracer,
  call: RequestedCall,
  isKnown: boolean,
  run: () => Promise<ToolCallRecord>,
): Promise<ToolCallRecord> {
  if (tracer === noTracer) return run();
  const attributes = {
    [ATTRIBUTE.tool]: isKnown || tracer.wantsText ? call.name : undefined,
    [ATTRIBUTE.arguments]: tracer.wantsText ? call.arguments : undefined,
  };
  return tracer.span({ kind: "tool", name: isKnown ? call.name : "unknown", attributes }, async (span) => {
    const record = await run();
    const { outcome, message, reward } = record;
    span.set({
      [ATTRIBUTE.outcome]: outcome,
      [ATTRIBUTE.errorType]: outcome === "ok" ? undefined : outcome,
      [ATTRIBUTE.score]: reward ?? undefined,
      [ATTRIBUTE.result]: tracer.wantsText ? contentText(message.content) : undefined,
    });
    return record;
  });
}

/** A reward that no session is around: a trace of its own. */
export interface RewardAlone {
  readonly key: string;
  readonly sampleIndex: number;
  readonly rolloutN: number;
  readonly validate: boolean;
  readonly traced: boolean;
}

/** The span of a session's reward, or of one `alone`. */
export function tracedReward<R extends RewardResult | null>(
  tracer: Tracer,
  dataSource: string,
  score: () => Promise<R>,
  alone?: RewardAlone,
): Promise<R> {
  const attributes = {
    [ATTRIBUTE.dataSource]: dataSource,
    [ATTRIBUTE.trajectory]: alone?.key,
    [ATTRIBUTE.sampleIndex]: alone?.sampleIndex,
    [ATTRIBUTE.rolloutN]: alone?.rolloutN,
    [ATTRIBUTE.validate]: alone?.validate,
  };
  const start = {
    kind: "reward",
    name: "reward",
    root: alone !== undefined,
    traced: alone?.traced,
    attributes,
  } as const;
  return tracer.span(start, async (span) => {
    const result = await score();
    const outcome = result === null || result.later !== undefined ? "deferred" : result.outcome;
    span.set({ [ATTRIBUTE.outcome]: outcome, [ATTRIBUTE.score]: result?.score ?? undefined });
    return result;
  });
}

/**
 * Which prompts are traced where `max_samples_per_step_per_worker` limits them: those whose uids hash lowest, so that the
 * choice takes no random number from the run and is the same in every repetition.
 */
export class TraceSample {
  readonly #left = new Map<string, number>();

  constructor(private readonly limit: number | null) {}

  /** @param workers  the worker of each uid */
  choose(uids: readonly string[], workers: readonly number[], step: string): (uid: string) => boolean {
    const { limit } = this;
    if (limit === null) return () => true;
    // What was left in earlier steps is of no use any more.
    for (const key of this.#left.keys()) if (!key.startsWith(`${step}/`)) this.#left.delete(key);
    const order = uids.map((uid, i) => ({ uid, worker: workers[i], rank: hashText(uid) }));
    const chosen = new Set<string>();
    for (const { uid, worker } of order.sort((a, b) => a.rank - b.rank)) {
      const key = `${step}/${worker}`;
      const left = this.#left.get(key) ?? limit;
      if (left > 0) chosen.add(uid);
      this.#left.set(key, Math.max(0, left - 1));
    }
    return (uid) => chosen.has(uid);
  }
}
