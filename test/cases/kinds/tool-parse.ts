import { builtinToolParsers, joinEvents, type ParsedTurn, parseToolCalls } from "../../../core/agent/index.js";
import type { JsonValue } from "../../../core/plugin.js";
import { type CaseKind, type Mismatch, sameValue } from "../kind.js";

interface ExpectedCall {
  readonly name: string;
  readonly arguments?: string;
  readonly arguments_any?: readonly string[];
  readonly arguments_json?: unknown;
  readonly id?: string;
}

interface Expected {
  readonly calls: readonly ExpectedCall[];
  readonly content?: string | null;
  readonly content_any?: readonly (string | null)[];
  readonly reasoning?: string | null;
  readonly content_without_reasoning?: string | null;
  readonly errors?: readonly { readonly index: number; readonly contains?: string }[];
}

/** Every text is parsed at once and in pieces of 1, 2, 3 and 7 code points. */
const PIECES = [null, 1, 2, 3, 7];

export const toolParse: CaseKind = {
  name: "tool_parse",
  fields: ["format", "text", "tools", "pad_token", "eos_token"],
  expectFields: ["calls", "content", "content_any", "reasoning", "content_without_reasoning", "errors"],
  run({ format, text, tools, pad_token, eos_token, expect }) {
    const parser = builtinToolParsers.find(({ name }) => name === format);
    if (!parser) return { expected: "a known format", actual: format };
    const options = {
      tools: tools as readonly JsonValue[] | undefined,
      padToken: pad_token as string | undefined,
      eosToken: eos_token as string | undefined,
    };
    for (const length of PIECES) {
      let turn: ParsedTurn;
      if (length === null) turn = parseToolCalls(parser, text as string, options);
      else {
        const stream = parser.create(options);
        turn = joinEvents([...pieces(text as string, length).flatMap((piece) => stream.push(piece)), ...stream.end()]);
      }
      const mismatch = compareTurn(expect as unknown as Expected, moveUnreadable(turn));
      if (mismatch) {
        const how = length === null ? "at once" : `in pieces of ${length}`;
        return { expected: mismatch.expected, actual: { [how]: mismatch.actual } };
      }
    }
    return null;
  },
};

function pieces(text: string, length: number): string[] {
  const points = [...text];
  return Array.from({ length: Math.ceil(points.length / length) }, (_, i) =>
    points.slice(i * length, (i + 1) * length).join(""),
  );
}

type Turn = Omit<ParsedTurn, "errors"> & { readonly errors: readonly { index: number; message: string }[] };

/** A call whose arguments are not JSON counts as an error that names its tool. */
function moveUnreadable(turn: ParsedTurn): Turn {
  const errors: { index: number; message: string }[] = [...turn.errors];
  const taken = new Set(turn.errors.map(({ index }) => index));
  let index = 0;
  const calls = turn.calls.filter((call) => {
    while (taken.has(index)) index++;
    const here = index++;
    if (isReadable(call.arguments)) return true;
    errors.push({ index: here, message: `The arguments of "${call.name}" are not JSON.` });
    return false;
  });
  return { ...turn, calls, errors: errors.sort((a, b) => a.index - b.index) };
}

function isReadable(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

function compareTurn(expected: Expected, turn: Turn): Mismatch | null {
  const { calls, content, reasoning, errors } = turn;
  if (calls.length !== expected.calls.length || !expected.calls.every((call, i) => sameCall(call, calls[i]))) {
    return { expected: { calls: expected.calls }, actual: { calls } };
  }
  if (!sameErrors(expected, errors)) return { expected: { errors: expected.errors }, actual: { errors } };
  return sameText(expected, turn)
    ? null
    : { expected: { ...expected, calls: undefined }, actual: { content, reasoning } };
}

function sameCall(expected: ExpectedCall, { name, arguments: text, id }: ParsedTurn["calls"][number]): boolean {
  if (name !== expected.name || (expected.id !== undefined && id !== expected.id)) return false;
  if (expected.arguments_json !== undefined) return sameValue(expected.arguments_json, JSON.parse(text));
  return [expected.arguments, ...(expected.arguments_any ?? [])].includes(text);
}

function sameErrors({ errors }: Expected, actual: Turn["errors"]): boolean {
  if (errors === undefined) return true;
  return (
    errors.length === actual.length &&
    errors.every(({ index, contains = "" }, i) => actual[i].index === index && actual[i].message.includes(contains))
  );
}

/** A parser may leave thoughts in the content or return them apart. */
function sameText(expected: Expected, { content, reasoning }: Turn): boolean {
  const accepted = [expected.content, ...(expected.content_any ?? [])].filter((text) => text !== undefined);
  const isContent = (texts: readonly (string | null)[], form: (text: string) => string) =>
    texts.length === 0 || texts.some((text) => form(text ?? "") === form(content));
  if (reasoning === null) return isContent(accepted, (text) => text);
  if (expected.reasoning === undefined) return isContent(accepted, withoutThoughts);
  const apart = expected.content_without_reasoning;
  return (
    (expected.reasoning ?? "").trim() === reasoning.trim() &&
    isContent(apart === undefined ? accepted : [apart], (text) => text.trim())
  );
}

/** To compare with a content that says nothing of the thoughts in it. */
function withoutThoughts(text: string): string {
  return THOUGHTS.reduce((rest, thought) => rest.replace(thought, ""), text).trim();
}

const THOUGHTS = [
  /<(seed:)?think>[\s\S]*?(<\/\1think>|$)/g,
  /(<\|start\|>assistant)?<\|channel\|>analysis<\|message\|>[\s\S]*?(<\|end\|>|$)/g,
  /<\|channel>thought[\s\S]*?(<channel\|>|$)/g,
];
