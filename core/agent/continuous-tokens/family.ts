import { deepseekV4Encoding } from "./deepseek-v4.js";
import type { EncodingOptions, OwnEncoding } from "./own-encoding.js";
import type { NamedTool } from "./tool-names.js";

/**
 * What a model family does that its chat template does not tell. Everything else is read off the template itself, the text
 * that ends an assistant turn included.
 */
export interface TokenFamily {
  readonly name: string;
  /** What ends an assistant turn. Absent: what the template writes after its text. */
  readonly turnEnd?: string;
  /** Tokens by which the model ends its turn and which begin the next one too, by the role of the next one. */
  readonly sharedTokens?: { readonly tool: string; readonly user: string };
  /** Token before a run of tool results, unless the model has sampled it already. Replaces the end of the turn. */
  readonly toolRunToken?: string;
  /** Tool results must be named: by the message, its call's id, or, if there are as many calls as results, its place. */
  readonly namedTools?: true;
  /** The model goes on in the same turn after tool results. */
  readonly noPromptAfterTools?: true;
  /** Written after every conversation, whether a generation prompt is asked for or not. */
  readonly unconditionalPrompt?: string;
  /** Text of a run of tool results, instead of the template's. */
  readonly renderTools?: (tools: readonly NamedTool[]) => string;
  /** Encodes conversations where the model comes without a template. */
  readonly encoding?: (options: EncodingOptions) => OwnEncoding;
}

const TEMPLATE: TokenFamily = { name: "template" };

/** First match wins; the patterns match lower-cased `model_type`s. */
const FAMILIES: readonly (readonly [RegExp, TokenFamily])[] = [
  [/^glm(4|_moe)/, { name: "glm", sharedTokens: { tool: "<|observation|>", user: "<|user|>" } }],
  [/^gemma4/, { name: "gemma4", toolRunToken: "<|tool_response>", namedTools: true, noPromptAfterTools: true }],
  [/^gpt_oss$/, { name: "gpt_oss", turnEnd: "", namedTools: true, renderTools: harmonyTools }],
  [
    /^minimax_vl/,
    {
      name: "minimax_vl",
      turnEnd: "<end_of_sentence>\n",
      unconditionalPrompt: "<beginning_of_sentence>ai name=assistant\n",
    },
  ],
  [/^deepseek_v4$/, { name: "deepseek_v4", turnEnd: "<｜end▁of▁sentence｜>", encoding: deepseekV4Encoding }],
  [/^(qwen[23]|minimax|deepseek_v[23]$)/, TEMPLATE],
  [/^(llama|mistral|mixtral|gemma|gpt2$|gpt_neox$|phi|smollm|granite|olmo|cohere|starcoder)/, TEMPLATE],
];

/** The family of a Hugging Face `model_type`; `known` is false where only the template can be relied on. */
export function tokenFamily(modelType: string | null): { readonly family: TokenFamily; readonly known: boolean } {
  const name = modelType?.toLowerCase() ?? "";
  const found = FAMILIES.find(([pattern]) => pattern.test(name));
  return { family: found?.[1] ?? TEMPLATE, known: modelType === null || found !== undefined };
}

/** Tool messages of the harmony format, which writes their text as it is. */
function harmonyTools(tools: readonly NamedTool[]): string {
  return tools
    .map(({ name, text }) => `<|start|>functions.${name} to=assistant<|channel|>commentary<|message|>${text}<|end|>`)
    .join("");
}
