import { checkTemplate, type ShapeCheck, type TemplateCheck } from "../../core/agent/index.js";
import { loadTokenizer, modelTypeOf } from "../../core/data/index.js";
import { type Diagnosis, isVerlError, reasonOf, type Tokenizer } from "../../core/plugin.js";

const SAMPLE = 'Hello, world! 1 + 1 = 2\n\n"naïve" café 中文 \t end';

export interface TokenizerDiagnosis {
  readonly findings: readonly Diagnosis[];
  /** Null where there is no template, or it could not be checked. */
  readonly template: TemplateCheck | null;
  /** Null where there is no tokenizer. */
  readonly vocabulary: Vocabulary | null;
}

/** What a model must have an embedding for. */
export type Vocabulary = Pick<Tokenizer, "vocabSize" | "tokenText">;

/** Whether a model's tokenizer and chat template can be trained on: texts round-trip, and history is only appended to. */
export async function diagnoseTokenizer(
  model: string,
  options: { readonly chatTemplate?: string | null; readonly kwargs?: Readonly<Record<string, unknown>> } = {},
): Promise<TokenizerDiagnosis> {
  let tokenizer: Tokenizer;
  try {
    tokenizer = await loadTokenizer(model, { chatTemplate: options.chatTemplate });
  } catch (error) {
    return { findings: [{ name: "tokenizer", status: "failed", ...summary(error) }], template: null, vocabulary: null };
  }
  const { findings, template } = diagnoseTemplate(tokenizer, await modelTypeOf(model), options.kwargs);
  return { findings: [roundTrip(tokenizer), ...findings], template, vocabulary: tokenizer };
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

function diagnoseTemplate(
  tokenizer: Tokenizer,
  modelType: string | null,
  kwargs?: Readonly<Record<string, unknown>>,
): Omit<TokenizerDiagnosis, "vocabulary"> {
  const name = "chat template";
  try {
    const template = checkTemplate(tokenizer, { modelType, kwargs });
    const oneTurn = takesOneTurn(tokenizer, kwargs);
    return { findings: templateFindings(template, oneTurn, name), template };
  } catch (error) {
    if (isVerlError(error) && error.code === "VERL_DATA_CHAT_TEMPLATE_MISSING") {
      const fix = "Set actor_rollout_ref.model.custom_chat_template, or use prompts that are plain text.";
      return { findings: [{ name, status: "warning", detail: "the model has none", fix }], template: null };
    }
    return { findings: [{ name, status: "failed", ...summary(error) }], template: null };
  }
}

/** Whether a question by itself comes through: all that most runs ask of a template. */
function takesOneTurn(tokenizer: Tokenizer, kwargs?: Readonly<Record<string, unknown>>): boolean {
  const question = "1";
  try {
    const messages = [{ role: "user", content: question }];
    return tokenizer.renderChat(messages, { addGenerationPrompt: true, kwargs }).includes(question);
  } catch {
    return false;
  }
}

function templateFindings({ shapes, appendOnly }: TemplateCheck, oneTurn: boolean, name: string): Diagnosis[] {
  const refused = shapes.filter(({ status }) => status === "refused");
  const taken = shapes.length - refused.length;
  if (taken === 0 && oneTurn) {
    const detail = `takes a single question, and refuses every conversation of several turns: ${refused[0].meaning}`;
    return [{ name, status: "warning", detail, fix: "It matters for agents of several turns only." }];
  }
  if (taken === 0) return [{ name, status: "failed", detail: `refuses every conversation: ${refused[0].meaning}` }];
  const asText = shapes.filter(({ status }) => status === "untokenized");
  const notes = [
    refused.length === 0 ? "" : `; it refuses: ${refused.map((shape) => shape.name).join(", ")}`,
    asText.length === 0 ? "" : `; ${asText.length} of them compared as text, not as tokens: ${asText[0].meaning}`,
  ].join("");
  if (appendOnly) {
    const detail = `only appends to the history, in all ${taken} kinds of conversations that it takes${notes}`;
    return [{ name, status: asText.length === 0 ? "ok" : "warning", detail }];
  }
  const broken = shapes.filter(({ status }) => !["append-only", "refused", "untokenized"].includes(status));
  const detail = `changes the history in ${broken.length} of ${taken} kinds of conversations${notes}`;
  const fix = "It matters for agents of several turns only; the guide on tokens says what can be done.";
  return [
    { name, status: "warning", detail, fix },
    ...[...new Set(broken.map(({ meaning }) => meaning))].flatMap((meaning) => [
      { name, status: "warning" as const, detail: `trained as ${meaning}:` },
      ...broken.filter((shape) => shape.meaning === meaning).map((shape) => brokenFinding(shape, name)),
    ]),
  ];
}

function brokenFinding({ name: kind, difference }: ShapeCheck, name: string): Diagnosis {
  if (difference === undefined)
    return {
      name,
      status: "warning",
      detail: `  ${kind}: the text of earlier turns changes (there are no tokens to show)`,
    };
  const { position, before, seen, rendered } = difference;
  const shown = (text: string | null) => (text === null ? "nothing" : JSON.stringify(text));
  const detail = `  ${kind}: at token ${position}, after ${shown(before)}, the model saw ${shown(seen)}, the template writes ${shown(rendered)} now`;
  return { name, status: "warning", detail };
}

function summary(error: unknown): Pick<Diagnosis, "detail" | "fix"> {
  if (!isVerlError(error)) return { detail: reasonOf(error).split("\n")[0] };
  const { code, what, where, fix } = error;
  return { detail: `${code}: ${what}${where ? ` (${where})` : ""}`, ...(fix ? { fix } : {}) };
}
