import { mediaPartsOf } from "../../data/index.js";
import type { ChatMessage, Tokenizer } from "../../data/tokenizer.js";
import { rewardErrors } from "../errors.js";
import type { RewardInput } from "../reward.js";
import type { RenderedConversation } from "./reward-model.js";

/**
 * The prompt's messages and the response as the assistant's message, rendered by the reward model's own template: no
 * generation prompt, no text of its beginning-of-sequence token. The response is decoded by the policy's tokenizer, without
 * the text of its end-of-sequence token; the other special tokens stay.
 */
export function renderConversation(
  { messages, responseIds, solution }: Pick<RewardInput, "messages" | "responseIds" | "solution">,
  { policy, model }: { readonly policy: Tokenizer; readonly model: Tokenizer },
): RenderedConversation {
  const answer = responseIds.length > 0 ? withoutEnd(policy.decode(responseIds), policy) : solution;
  const conversation: ChatMessage[] = [...messages, { role: "assistant", content: answer }];
  const rendered = model.renderChat(conversation, { addGenerationPrompt: false });
  const bos = model.bosTokenId === null ? "" : model.tokenText(model.bosTokenId);
  const text = bos !== "" && rendered.startsWith(bos) ? rendered.slice(bos.length) : rendered;
  return {
    text,
    // Servers take the text.
    get ids() {
      return model.encode(text, { addSpecialTokens: true });
    },
  };
}

/** A conversation whose pictures are left out is another one. */
export function refuseMedia({ messages, media = [] }: Pick<RewardInput, "messages" | "media">, where?: string): void {
  const kind = media[0]?.kind ?? mediaPartsOf(messages)[0]?.kind;
  if (kind === undefined) return;
  throw rewardErrors.VERL_REWARD_MODEL_UNFIT({
    what: `the conversation shows a medium of the kind ${kind}, and reward models read texts alone`,
    where,
    fix: "score such rows with a function (reward.custom_reward_function), which gets the media and may show them to a judge",
  });
}

function withoutEnd(text: string, tokenizer: Tokenizer): string {
  const { eosTokenId } = tokenizer;
  return eosTokenId === null ? text : text.replaceAll(tokenizer.tokenText(eosTokenId), "");
}

/** Without a template the reward model would see another text than it was trained on. */
export function requireTemplate(model: Tokenizer, path: string): void {
  if (model.hasChatTemplate) return;
  throw rewardErrors.VERL_REWARD_MODEL_UNFIT({
    what: "the reward model has no chat template",
    where: path,
    why: "conversations are rendered by the reward model's own template",
    fix: "add chat_template to its tokenizer_config.json",
  });
}
