import { parseLosslessJson } from "../../data/lossless-json.js";
import { plainText } from "../../data/plain-text.js";
import { dumpsLikePython } from "../../data/python-json.js";
import type { ChatMessage } from "../../data/tokenizer.js";
import { functionOf } from "../../data/tool-call-form.js";
import { agentErrors } from "../errors.js";
import { DEEPSEEK_V4_MAX_EFFORT, deepseekV4Tools } from "./deepseek-v4-texts.js";
import type { EncodingOptions, OwnEncoding } from "./own-encoding.js";
import { callsOf } from "./tool-names.js";

const BOS = "<｜begin▁of▁sentence｜>";
const EOS = "<｜end▁of▁sentence｜>";
const USER = "<｜User｜>";
const ASSISTANT = "<｜Assistant｜>";

/** A user's turn with the tool results around it, or one message of another role. */
type Turn =
  | { readonly role: "user"; readonly parts: readonly string[] }
  | { readonly role: "assistant" | "system"; readonly message: ChatMessage };

/**
 * DeepSeek-V4, which is published with an encoder instead of a template. Variables: `thinking` or `enable_thinking` (off),
 * `drop_thinking` (on; reasoning before the last user turn is left out, unless there are tools), `reasoning_effort`.
 */
export function deepseekV4Encoding({ tools = [], kwargs = {} }: EncodingOptions): OwnEncoding {
  const thinking = Boolean(kwargs.thinking ?? kwargs.enable_thinking);
  const dropThinking = kwargs.drop_thinking !== false && tools.length === 0;

  /** The beginning of the model's turn, in thought or without. */
  const opening = (current: boolean) =>
    `${ASSISTANT}${thinking && (!dropThinking || current) ? "<think>" : "</think>"}`;

  function write(turns: readonly Turn[], toolsText: string, addGenerationPrompt: boolean): string {
    const lastUser = turns.findLastIndex(({ role }) => role === "user");
    const toolsAt = toolsText === "" ? -1 : turns.findIndex(({ role }) => role === "system");
    const texts = turns.map((turn, i) => {
      const opens = i + 1 < turns.length ? turns[i + 1].role === "assistant" : addGenerationPrompt;
      const next = opens && turn.role !== "assistant" ? opening(i >= lastUser) : "";
      if (turn.role === "user") return `${USER}${turn.parts.join("\n\n")}${next}`;
      const content = plainText(turn.message.content) ?? "";
      if (turn.role === "system") return `${content}${i === toolsAt ? `\n\n${toolsText}` : ""}${next}`;
      const reasoning = typeof turn.message.reasoning_content === "string" ? turn.message.reasoning_content : "";
      const thought = thinking && (!dropThinking || i > lastUser) ? `${reasoning}</think>` : "";
      return `${thought}${content}${callsText(turn.message.tool_calls)}${EOS}`;
    });
    const head = toolsText !== "" && toolsAt < 0 ? `\n\n${toolsText}` : "";
    return `${head}${texts.join("")}`;
  }

  return {
    render(messages, addGenerationPrompt) {
      const effort = thinking && kwargs.reasoning_effort === "max" ? DEEPSEEK_V4_MAX_EFFORT : "";
      const toolsText = tools.length > 0 ? deepseekV4Tools(tools) : "";
      return `${BOS}${effort}${write(turnsOf(messages), toolsText, addGenerationPrompt)}`;
    },
    append(previous, appended) {
      if (thinking && dropThinking && previous.some(({ role }) => role === "assistant")) {
        return { broken: "the encoding drops the reasoning of earlier turns (drop_thinking), and there are no tools" };
      }
      const calling = previous.findLast(({ tool_calls }) => Array.isArray(tool_calls));
      return { after: "", text: write(turnsOf(appended, callIdsOf(calling)), "", true) };
    },
  };
}

/** User and tool messages in a row are one turn; results stand in the order of their calls. */
function turnsOf(messages: readonly ChatMessage[], callIds: readonly unknown[] = []): Turn[] {
  const turns: Turn[] = [];
  let run: ChatMessage[] = [];
  const endRun = () => {
    if (run.length > 0) turns.push({ role: "user", parts: inCallOrder(run, callIds).map(partText) });
    run = [];
  };
  for (const message of messages) {
    if (message.role === "user" || message.role === "tool" || message.role === "developer") {
      run.push(message);
      continue;
    }
    if (message.role !== "assistant" && message.role !== "system") {
      throw agentErrors.VERL_AGENT_MESSAGE_ROLE({ what: `DeepSeek-V4 has no messages of role ${message.role}` });
    }
    endRun();
    if (Array.isArray(message.tool_calls)) callIds = callIdsOf(message);
    turns.push({ role: message.role, message });
  }
  endRun();
  return turns;
}

const callIdsOf = (message: ChatMessage | undefined) => callsOf(message).map(({ id }) => id);

function inCallOrder(run: readonly ChatMessage[], callIds: readonly unknown[]): readonly ChatMessage[] {
  const place = ({ tool_call_id: id }: ChatMessage) => Math.max(0, callIds.indexOf(id));
  const results = run.filter(({ role }) => role === "tool").sort((a, b) => place(a) - place(b));
  return run.map((message) => (message.role === "tool" ? (results.shift() as ChatMessage) : message));
}

function partText({ role, content }: ChatMessage): string {
  const text = plainText(content) ?? "";
  return role === "tool" ? `<tool_result>${text}</tool_result>` : text;
}

function callsText(calls: unknown): string {
  if (!Array.isArray(calls) || calls.length === 0) return "";
  const invokes = calls.map((call: unknown) => {
    const { name, arguments: args } = functionOf(call);
    const parameters = [...parametersOf(args)].map(([key, value]) => {
      const text = typeof value === "string" ? value : dumpsLikePython(value);
      return `<｜DSML｜parameter name="${key}" string="${typeof value === "string"}">${text}</｜DSML｜parameter>`;
    });
    return `<｜DSML｜invoke name="${String(name)}">\n${parameters.join("\n")}\n</｜DSML｜invoke>`;
  });
  return `\n\n<｜DSML｜tool_calls>\n${invokes.join("\n")}\n</｜DSML｜tool_calls>`;
}

/** Arguments that are no JSON object stand in one parameter, as they are. */
function parametersOf(args: unknown): Iterable<[string, unknown]> {
  if (typeof args === "object" && args !== null) return args instanceof Map ? args : Object.entries(args);
  try {
    const value = parseLosslessJson(String(args));
    if (value instanceof Map) return value;
  } catch {
    // Written by a model: kept.
  }
  return [["arguments", args ?? ""]];
}
