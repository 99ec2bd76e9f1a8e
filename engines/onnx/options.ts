import { z } from "zod";
import { errors } from "./errors.js";

/** The section `engineKwargs.onnx` of the configuration. */
const schema = z.strictObject({
  /** How onnxruntime is called: `auto` tests the C API once per machine and falls back to the Node binding. */
  runtime: z.enum(["auto", "capi", "binding"]).default("auto"),
  /** Memory for [rows, vocabulary] arrays, in MiB; above it the head works in row chunks. */
  logitsMemoryMiB: z.number().positive().default(512),
  /** Memory for attention weights, in MiB; a micro-batch that needs more is cut by length, and a sequence computed in blocks. */
  attentionMemoryMiB: z.number().positive().default(1024),
  /** Worker threads busy-wait between operators, `briefly` by default: faster on a machine of one's own, slower on a shared one. */
  spin: z.union([z.boolean(), z.literal("briefly")]).default("briefly"),
  /** Sequences are packed without padding when more than this share of the grid would be padding. */
  packAbovePadding: z.number().min(0).max(1).default(0.15),
  /** How the head of a critic or reward model begins where the model's files have none. */
  newHead: z.enum(["normal", "zero"]).default("normal"),
  /** Precision of exported Hugging Face folders; default: what the model's `config.json` names, else f32. */
  exportDtype: z.enum(["f32", "bf16", "f16"]).optional(),
  /** Largest file of weights in an exported folder, in MiB; more become several files with an index. */
  exportShardMiB: z.number().positive().default(4768),
  /** Read models whose weights hold NaN or infinity instead of refusing them. */
  allowNonFinite: z.boolean().default(false),
});

/** Options by which other libraries place a model on devices. */
const PLACEMENT = ["device", "deviceMap", "device_map"];

export type OnnxEngineKwargs = z.infer<typeof schema>;

export function parseEngineKwargs(extra: Readonly<Record<string, unknown>>): OnnxEngineKwargs {
  const placement = PLACEMENT.find((name) => name in extra);
  if (placement !== undefined) {
    throw errors.VERL_ONNX_BAD_OPTION({
      what: `"${placement}" is not an option of the ONNX engine`,
      where: "engine_kwargs.onnx",
      why: "the engine computes on the CPU, with the whole model in one process",
      fix: "Remove it. A run's device is trainer.device (or VERL_PLATFORM); an engine for other hardware comes as a plugin.",
    });
  }
  const parsed = schema.safeParse(extra);
  if (parsed.success) return parsed.data;
  throw errors.VERL_ONNX_BAD_OPTION({
    what: parsed.error.issues.map((issue) => issue.message).join("; "),
    where: ["engine_kwargs.onnx", ...parsed.error.issues[0].path].join("."),
    fix: `Known options: ${Object.keys(schema.shape).join(", ")}.`,
  });
}
