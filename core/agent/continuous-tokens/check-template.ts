import { isTemplateFailure } from "../../data/conversation-renderer.js";
import type { Tokenizer } from "../../data/tokenizer.js";
import { isVerlError, reasonOf } from "../../host/errors.js";
import { CHECK_CONVERSATIONS, type CheckConversation } from "./check-conversations.js";
import { applyToIds } from "./edit.js";
import { SuffixEncoder, sameIds, startsWith } from "./suffix-encoder.js";
import { TurnEncoder, type TurnEncoderOptions } from "./turn-encoder.js";

/** The first token at which what the model saw and one rendering of the whole conversation part. */
export interface TokenDifference {
  /** Counted from 0. */
  readonly position: number;
  /** The end of what both have in common. */
  readonly before: string;
  /** Text of the token that the model saw; null where what it saw ends. */
  readonly seen: string | null;
  /** Text of the token that the template writes now; null where its text ends. */
  readonly rendered: string | null;
}

/**
 * - `append-only`: the tokens are one rendering of the conversation.
 * - `retokenized`: the same text, of which one rendering makes other tokens.
 * - `rewritten`: the template writes the history differently once more messages follow.
 * - `split`: the messages cannot be appended; a new sample begins.
 * - `refused`: the template does not take such conversations, or leaves messages out.
 * - `untokenized`: the tokenizer lacks a character of the conversation; its text is only appended to.
 */
export interface ShapeCheck {
  readonly name: string;
  readonly status: "append-only" | "retokenized" | "rewritten" | "split" | "refused" | "untokenized";
  /** What it means for training, or the template's reason. */
  readonly meaning: string;
  readonly difference?: TokenDifference;
}

export interface TemplateCheck {
  /** Whether every shape that the template takes is append-only, as far as there are tokens for it. */
  readonly appendOnly: boolean;
  readonly family: string;
  readonly shapes: readonly ShapeCheck[];
}

/**
 * Whether a model's template only ever appends. Conversations of several shapes are played: the model answers in the
 * template's own words, messages are appended as in a run, and after each the tokens are compared with one rendering of all.
 */
export function checkTemplate(
  tokenizer: Tokenizer,
  options: Pick<TurnEncoderOptions, "modelType" | "kwargs"> = {},
): TemplateCheck {
  const shapes = CHECK_CONVERSATIONS.map((conversation) => {
    const encoder = new TurnEncoder(tokenizer, { ...options, tools: conversation.tools });
    try {
      return { name: conversation.name, ...play(conversation, encoder) };
    } catch (error) {
      // One character that a small vocabulary lacks says nothing about the template, nor about other conversations.
      if (isVerlError(error) && error.code === "VERL_DATA_TEXT_NOT_ENCODABLE")
        return { name: conversation.name, ...playAsText(conversation, encoder, error.what) };
      if (!isTemplateFailure(error)) throw error;
      return { name: conversation.name, status: "refused" as const, meaning: refusalOf(error) };
    }
  });
  return {
    appendOnly: shapes.every(({ status }) => !CHANGES_HISTORY.has(status)),
    family: new TurnEncoder(tokenizer, options).family.name,
    shapes,
  };
}

/** What breaks the rule that history is only appended to. */
const CHANGES_HISTORY: ReadonlySet<ShapeCheck["status"]> = new Set(["retokenized", "rewritten", "split"]);

const MEANING = {
  "append-only": "one sample, and the model is shown what the template would write",
  retokenized: "one sample; its text has other tokens when it is encoded as a whole, which nothing here does",
  rewritten:
    "one sample, in which earlier turns stay as the model saw them; a server that renders every request changes them",
  split: "a new sample begins at this turn, whose prompt holds the earlier turns as the template writes them",
} as const;

function refusalOf(error: unknown): string {
  return isVerlError(error) ? [error.what, error.why].filter(Boolean).join(": ") : reasonOf(error);
}

function play({ messages }: CheckConversation, encoder: TurnEncoder): Omit<ShapeCheck, "name"> {
  const suffixes = new SuffixEncoder(encoder.tokenizer);
  const turns = messages.flatMap(({ role }, i) => (role === "assistant" ? [i] : []));
  let prompt = encoder.render(messages.slice(0, turns[0]), true);
  let seen: readonly number[] = encoder.encode(messages.slice(0, turns[0]));
  for (const [n, at] of turns.entries()) {
    const previous = messages.slice(0, at + 1);
    const updated = messages.slice(0, turns[n + 1]);
    if (updated.length === previous.length) break;
    const turn = encoder.render(previous, false);
    if (!turn.startsWith(prompt)) return differing("rewritten", seen, encoder.encode(previous, false), encoder);
    const sampled = asSampled(
      suffixes.encode({ after: prompt, text: turn.slice(prompt.length) }),
      updated[at + 1].role,
      encoder,
    );
    const edit = encoder.append(previous, updated, [...seen, ...sampled]);
    const rendered = encoder.encode(updated);
    prompt = encoder.render(updated, true);
    const left = leftOut(updated.slice(at + 1), prompt);
    if (left) return left;
    if (edit.kind === "split") return differing("split", [...seen, ...sampled], rendered, encoder);
    seen = applyToIds([...seen, ...sampled], edit);
    if (sameIds(seen, rendered)) continue;
    const { tokenizer } = encoder;
    const sameText = tokenizer.decode(seen) === tokenizer.decode(rendered);
    return differing(sameText ? "retokenized" : "rewritten", seen, rendered, encoder);
  }
  return { status: "append-only", meaning: MEANING["append-only"] };
}

function leftOut(messages: CheckConversation["messages"], text: string): Omit<ShapeCheck, "name"> | null {
  const left = messages.find(({ content }) => !text.includes(content as string));
  return left ? { status: "refused", meaning: `the template leaves ${left.role} messages out` } : null;
}

/** Like {@link play} where there are no tokens to compare: whether the template's texts extend each other. */
function playAsText({ messages }: CheckConversation, encoder: TurnEncoder, why: string): Omit<ShapeCheck, "name"> {
  const turns = messages.flatMap(({ role }, i) => (role === "assistant" ? [i] : []));
  for (const [n, at] of turns.entries()) {
    const previous = messages.slice(0, at + 1);
    const updated = messages.slice(0, turns[n + 1]);
    if (updated.length === previous.length) break;
    const prompt = encoder.render(messages.slice(0, at), true);
    const history = encoder.render(previous, false);
    const extended = encoder.render(updated, true);
    const left = leftOut(updated.slice(at + 1), extended);
    if (left) return left;
    if (!history.startsWith(prompt) || !extended.startsWith(history.trimEnd()))
      return { status: "rewritten", meaning: MEANING.rewritten };
  }
  return { status: "untokenized", meaning: why };
}

/** A rendered assistant turn as far as the model would have written it: to its stop token. */
function asSampled(turn: readonly number[], nextRole: string | undefined, encoder: TurnEncoder): readonly number[] {
  const { turnEnd, stopIds } = encoder.boundaryRule;
  const { sharedTokens } = encoder.family;
  const shared = sharedTokens && encoder.tokenizer.tokenId(nextRole === "tool" ? sharedTokens.tool : sharedTokens.user);
  if (typeof shared === "number") return [...turn, shared];
  const stop = turnEnd.findIndex((id) => stopIds.has(id));
  const ends = stop >= 0 && startsWith(turn.slice(-turnEnd.length), turnEnd);
  return ends ? turn.slice(0, turn.length - turnEnd.length + stop + 1) : turn;
}

function differing(
  status: "retokenized" | "rewritten" | "split",
  seen: readonly number[],
  rendered: readonly number[],
  { tokenizer }: TurnEncoder,
): Omit<ShapeCheck, "name"> {
  let position = 0;
  while (position < seen.length && seen[position] === rendered[position]) position++;
  const text = (ids: readonly number[]) => (ids.length > position ? tokenizer.decode([ids[position]]) : null);
  return {
    status,
    meaning: MEANING[status],
    difference: {
      position,
      before: tokenizer.decode(seen.slice(Math.max(0, position - 16), position)),
      seen: text(seen),
      rendered: text(rendered),
    },
  };
}
