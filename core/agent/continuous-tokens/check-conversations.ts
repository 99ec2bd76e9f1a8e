import type { ChatMessage } from "../../data/tokenizer.js";
import type { JsonValue } from "../../host/types.js";

/** A conversation by which a template is checked. */
export interface CheckConversation {
  readonly name: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly JsonValue[];
}

const TOOLS: readonly JsonValue[] = [
  {
    type: "function",
    function: {
      name: "lookup",
      description: "Look up a word.",
      parameters: {
        type: "object",
        properties: { word: { type: "string", description: "The word." } },
        required: ["word"],
      },
    },
  },
];

const system: ChatMessage = { role: "system", content: "Answer briefly." };
const user = (content = "What is a fjord?"): ChatMessage => ({ role: "user", content });
const answer = (content: string, thought?: string): ChatMessage => ({
  role: "assistant",
  content,
  ...reasoning(thought),
});
const calls = (words: readonly string[], thought?: string): ChatMessage => ({
  role: "assistant",
  content: "",
  ...reasoning(thought),
  tool_calls: words.map((word, i) => ({
    id: `call0000${i}`,
    type: "function",
    function: { name: "lookup", arguments: `{"word": "${word}"}` },
  })),
});
const result = (content: string, i = 0): ChatMessage => ({
  role: "tool",
  name: "lookup",
  tool_call_id: `call0000${i}`,
  content,
});
const reasoning = (thought?: string) => (thought === undefined ? {} : { reasoning_content: thought });

/** Every kind of turn that agents append, with and without reasoning before it. */
export const CHECK_CONVERSATIONS: readonly CheckConversation[] = [
  { name: "several user turns", tools: [], messages: [user(), answer("An inlet."), user("Why?"), answer("Ice.")] },
  {
    name: "several user turns, system prompt",
    tools: [],
    messages: [system, user(), answer("An inlet."), user("Why?")],
  },
  {
    name: "reasoning, then a user turn",
    tools: [],
    messages: [user(), answer("An inlet.", "A word of Norse."), user("Why?")],
  },
  { name: "a later system message", tools: [], messages: [user(), answer("An inlet."), system] },
  { name: "tool call", tools: TOOLS, messages: [user(), calls(["fjord"]), result("An inlet."), answer("It is one.")] },
  {
    name: "reasoning before tool calls",
    tools: TOOLS,
    messages: [
      system,
      user(),
      calls(["fjord"], "Look it up."),
      result("An inlet."),
      calls(["inlet"], "And that."),
      result("A bay."),
    ],
  },
  {
    name: "parallel tool calls",
    tools: TOOLS,
    messages: [user(), calls(["fjord", "inlet"], "Look both up."), result("An inlet."), result("A bay.", 1)],
  },
  {
    name: "tool result and a user message",
    tools: TOOLS,
    messages: [user(), calls(["fjord"], "Look it up."), result("An inlet."), user("Go on.")],
  },
];
