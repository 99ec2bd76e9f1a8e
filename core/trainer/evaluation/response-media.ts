import path from "node:path";
import {
  type BadRow,
  type ChatMessage,
  foldMedia,
  idOfReference,
  type MediaStore,
  mediaPartsOf,
  type RawRow,
  refuseBadRows,
  takeMedia,
  takenItems,
} from "../../data/index.js";
import { promptMessages } from "../../data/prompt-messages.js";
import type { RewardMedium } from "../../reward/index.js";
import type { InputScope } from "../run-scope.js";

/** The prompt of a response that is there already. */
export interface ShownPrompt {
  readonly messages: readonly ChatMessage[];
  readonly media: readonly RewardMedium[];
  readonly origin: string;
}

/**
 * The prompts of rows with responses, and what they show, for those who score them: no model sees it, and no processor is needed. A
 * row need not hold its prompt. Media that cannot be used are refused together, with their rows.
 */
export async function shownPrompts(
  rows: readonly RawRow[],
  store: MediaStore,
  { config: { data }, cwd, signal }: Pick<InputScope, "config" | "cwd" | "signal">,
): Promise<readonly ShownPrompt[]> {
  const columns = { image: data.image_key, video: data.video_key, audio: data.audio_key };
  const bad: BadRow[] = [];
  const prompts = rows.map(({ row, origin }) => {
    const prompt = promptMessages(row[data.prompt_key] ?? null, data.prompt_key);
    if ("problem" in prompt) return { messages: [], origin };
    const folded = foldMedia(prompt.messages, row, columns);
    if (!("problem" in folded)) return { messages: folded.messages, origin };
    bad.push({ origin, what: folded.problem });
    return { messages: [], origin };
  });
  refuseBadRows(bad);
  const root = data.media_root === null ? null : path.resolve(cwd, data.media_root);
  const taken = await takenItems(prompts, (messages, options) => takeMedia(messages, store, options), { root, signal });
  return taken.map((prompt) => ({ ...prompt, media: mediaOf(prompt.messages, store) }));
}

const mediaOf = (messages: readonly ChatMessage[], store: MediaStore): readonly RewardMedium[] =>
  mediaPartsOf(messages).flatMap(({ value }) => {
    const ref = store.find(idOfReference(value) ?? "");
    return ref ? [{ ...ref, place: "prompt" as const }] : [];
  });
