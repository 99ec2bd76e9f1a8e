import { setImmediate as nextTurn } from "node:timers/promises";
import { reasonOf } from "../host/errors.js";
import type { CallOptions } from "../host/types.js";
import { type ConversationOptions, ConversationRenderer } from "./conversation-renderer.js";
import { dataErrors } from "./errors.js";
import { mediaPartsOf } from "./media/media.js";
import { NO_MEDIA, placeMedia } from "./media/media-tokens.js";
import type { DataItem, DatasetOptions } from "./rows/dataset.js";
import { listSome } from "./rows/raw-row.js";
import type { Row } from "./rows/row.js";
import type { ChatMessage, Tokenizer } from "./tokenizer.js";

/** What is sent to the model besides the messages. */
export type PromptRendering = Pick<ConversationOptions, "tools" | "kwargs">;

/** The ids of a first turn exactly as they are sent: chat template, tools and generation prompt. */
export function encodePrompt(
  tokenizer: Tokenizer,
  messages: readonly ChatMessage[],
  rendering: PromptRendering = {},
): number[] {
  return new ConversationRenderer(tokenizer, rendering).encode(messages, true);
}

/** Tokens of every prompt, with the tools that are sent with its row. Lets other work run in between. */
export async function measurePrompts(
  items: readonly DataItem[],
  tokenizer: Tokenizer,
  { toolsOf, media, ...rendering }: PromptRendering & Pick<DatasetOptions, "toolsOf" | "media">,
  { signal }: CallOptions = {},
): Promise<Int32Array> {
  const lengths = new Int32Array(items.length);
  const renderers = new Map<string, ConversationRenderer>();
  const rendererOf = (row: Row): ConversationRenderer => {
    const tools = toolsOf ? toolsOf(row) : rendering.tools;
    const key = toolsOf ? JSON.stringify(tools) : "";
    const renderer = renderers.get(key) ?? new ConversationRenderer(tokenizer, { ...rendering, tools });
    renderers.set(key, renderer);
    return renderer;
  };
  for (const [i, { messages, row, origin }] of items.entries()) {
    if (i % 256 === 0) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    try {
      const ids = rendererOf(row).encode(messages, true);
      const taken = await media?.take(messages, { signal });
      lengths[i] = placeMedia(ids, taken ? mediaPartsOf(messages) : [], taken?.tokens ?? NO_MEDIA).ids.length;
    } catch (error) {
      throw dataErrors.VERL_DATA_TEMPLATE({
        what: "a prompt cannot be rendered",
        where: origin,
        why: reasonOf(error),
        cause: error,
      });
    }
  }
  return lengths;
}

/** The items whose prompt fits, or with `filter` off `VERL_DATA_PROMPT_TOO_LONG` if one does not. */
export function dropOverlong(
  items: readonly DataItem[],
  lengths: Int32Array,
  options: { readonly maxPromptLength: number; readonly filter: boolean },
): readonly DataItem[] {
  const { maxPromptLength, filter } = options;
  const fits = items.filter((_, i) => lengths[i] <= maxPromptLength);
  if (filter || fits.length === items.length) return fits;
  const long = items.flatMap(({ origin }, i) => (lengths[i] > maxPromptLength ? [{ origin, tokens: lengths[i] }] : []));
  throw dataErrors.VERL_DATA_PROMPT_TOO_LONG({
    what: `${long.length} of ${items.length} prompts are longer than data.max_prompt_length = ${maxPromptLength}`,
    where: listSome(long.map(({ origin, tokens }) => `${origin} has ${tokens} tokens`)),
    data: { rows: long },
  });
}
