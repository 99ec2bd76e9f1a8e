import { z } from "zod";
import { type RolloutOptions, rolloutErrors } from "../../../core/plugin.js";

/** The section `actor_rollout_ref.rollout.engine_kwargs.onnx`. */
export interface OnnxRolloutOptions {
  /** How onnxruntime is called; `auto`: its C API where that passes its self-test, else the official binding. */
  readonly runtime: "auto" | "capi" | "binding";
  /** `shared`: GroupQueryAttention over a cache in place; `plain`: standard operators; `auto`: the faster that works. */
  readonly attention: "auto" | "shared" | "plain";
  /** Cells of one prefill, padding included: bounds the memory of activations. A longer prompt goes alone, in pieces of so many tokens. */
  readonly maxPrefillTokens: number;
  /** A cache of at most this size is kept during sleep level 1: making it anew would cost more than it frees. */
  readonly keepCacheMiB: number;
  /** Read models whose weights hold NaN or infinity instead of refusing them. */
  readonly allowNonFinite: boolean;
}

const schema = z.strictObject({
  runtime: z.enum(["auto", "capi", "binding"]).default("auto"),
  attention: z.enum(["auto", "shared", "plain"]).default("auto"),
  maxPrefillTokens: z.number().int().min(1).default(2048),
  keepCacheMiB: z.number().min(0).default(256),
  allowNonFinite: z.boolean().default(false),
});

export function parseOnnxOptions(extra: RolloutOptions["extra"]): OnnxRolloutOptions {
  const parsed = schema.safeParse(extra);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw rolloutErrors.VERL_ROLLOUT_BAD_OPTION({
    what: issue.message,
    where: ["actor_rollout_ref.rollout.engine_kwargs.onnx", ...issue.path].join("."),
  });
}
