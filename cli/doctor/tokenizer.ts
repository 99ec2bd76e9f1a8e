import { loadTokenizer } from "../../core/data/index.js";
import { type ChatMessage, type Diagnosis, isVerlError, reasonOf, type Tokenizer } from "../../core/plugin.js";

const SAMPLE = 'Hello, world! 1 + 1 = 2\n\n"naïve" café 中文 \t end';

/** Whether a model's tokenizer and chat template can be trained on: texts round-trip, and history is only appended to. */
export async function diagnoseTokenizer(model: string): Promise<Diagnosis[]> {
  let tokenizer: Tokenizer;
  try {
    tokenizer = await loadTokenizer(model);
  } catch (error) {
    return [{ name: "tokenizer", status: "failed", ...summary(error) }];
  }
  return [roundTrip(tokenizer), appendOnly(tokenizer)];
}

function roundTrip(tokenizer: Tokenizer): Diagnosis {
  let back: string;
  try {
    back = tokenizer.decode(tokenizer.encode(SAMPLE, { addSpecialTokens: false }));
  } catch (error) {
    return { name: "tokenizer", status: "warning", ...summary(error) };
  }
  if (back === SAMPLE)
    return { name: "tokenizer", status: "ok", detail: `${tokenizer.vocabSize} tokens; text round-trips` };
  const detail = `decoding does not give the text back: ${JSON.stringify(SAMPLE)} became ${JSON.stringify(back)}`;
  return { name: "tokenizer", status: "warning", detail };
}

/** Rendering one more turn must not change the tokens of the turns before it. */
function appendOnly(tokenizer: Tokenizer): Diagnosis {
  if (!tokenizer.hasChatTemplate) {
    const fix = "Set actor_rollout_ref.model.custom_chat_template, or use prompts that are plain text.";
    return { name: "chat template", status: "warning", detail: "the model has none", fix };
  }
  const turns: ChatMessage[] = [
    { role: "user", content: "What is 1 + 1?" },
    { role: "assistant", content: "<think>\nEasy.\n</think>\n\nIt is 2." },
    { role: "user", content: "And 2 + 2?" },
  ];
  try {
    const before = tokenizer.encodeChat(turns.slice(0, 2));
    const after = tokenizer.encodeChat(turns, { addGenerationPrompt: true });
    const differs = before.findIndex((id, i) => after[i] !== id);
    if (differs < 0) return { name: "chat template", status: "ok", detail: "history is only appended to" };
    const text = JSON.stringify(tokenizer.tokenText(before[differs]));
    const detail = `a further turn changes the history at token ${differs} (${text}); such conversations are trained as separate samples`;
    return { name: "chat template", status: "warning", detail };
  } catch (error) {
    // A small vocabulary says nothing about the template.
    const status = isVerlError(error) && error.code === "VERL_DATA_TEXT_NOT_ENCODABLE" ? "warning" : "failed";
    return { name: "chat template", status, ...summary(error) };
  }
}

function summary(error: unknown): Pick<Diagnosis, "detail" | "fix"> {
  const fix = isVerlError(error) ? error.fix : undefined;
  return { detail: reasonOf(error).split("\n")[0], ...(fix ? { fix } : {}) };
}
