import type {
  MalformedCall,
  ParsedTurn,
  ToolCall,
  ToolParser,
  ToolParserEvent,
  ToolParserOptions,
} from "./tool-parser.js";

/** Reads a complete turn. */
export function parseToolCalls(parser: ToolParser, text: string, options?: ToolParserOptions): ParsedTurn {
  const stream = parser.create(options);
  return joinEvents([...stream.push(text), ...stream.end()]);
}

/** The turn that a stream's events make. */
export function joinEvents(events: Iterable<ToolParserEvent>): ParsedTurn {
  let content = "";
  let reasoning: string | null = null;
  const calls: ToolCall[] = [];
  const errors: MalformedCall[] = [];
  for (const event of events) {
    if (event.type === "call") calls.push(event.call);
    else if (event.type === "malformed") errors.push(event.error);
    else if (event.type === "content") content += event.text;
    else reasoning = (reasoning ?? "") + event.text;
  }
  return { content, reasoning, calls, errors };
}
