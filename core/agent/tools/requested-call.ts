import type { ChatMessage } from "../../data/tokenizer.js";
import type { ParsedTurn } from "../tool-parsers/tool-parser.js";

/** A call as the model wrote it, well-formed or not. */
export interface RequestedCall {
  readonly name: string;
  /** The text of the arguments; of the whole call where it cannot be read. */
  readonly arguments: string;
  readonly id?: string;
  /** Why the call cannot be read, for the model; null if it can. */
  readonly problem: string | null;
}

/** The calls of a turn in the order of its text, malformed ones in their places. */
export function requestedCalls({ calls, errors }: ParsedTurn): RequestedCall[] {
  const readable = calls.map((call): RequestedCall => ({ ...call, problem: null }));
  const requested: RequestedCall[] = [];
  let taken = 0;
  for (const { index, name, message, text } of errors) {
    while (requested.length < index && taken < readable.length) requested.push(readable[taken++]);
    requested.push({ name: name ?? "unknown", arguments: text, problem: message });
  }
  return [...requested, ...readable.slice(taken)];
}

/** The assistant's message of a turn: for names and templates, never for tokens. */
export function assistantMessage(turn: ParsedTurn, calls: readonly RequestedCall[]): ChatMessage {
  return {
    role: "assistant",
    content: turn.content,
    ...(turn.reasoning === null ? {} : { reasoning_content: turn.reasoning }),
    ...(calls.length > 0 ? { tool_calls: calls.map(toolCallPart) } : {}),
  };
}

function toolCallPart({ id, name, arguments: text }: RequestedCall) {
  return { ...(id === undefined ? {} : { id }), type: "function", function: { name, arguments: text } };
}
