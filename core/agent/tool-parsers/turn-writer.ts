import type { ToolCall, ToolParserEvent } from "./tool-parser.js";

/** Collects the events of one turn. */
export class TurnWriter {
  private events: ToolParserEvent[] = [];
  private count = 0;

  content(text: string): void {
    if (text !== "") this.text("content", text);
  }

  /** Empty text is kept: it says that there is a thought. */
  reasoning(text: string): void {
    this.text("reasoning", text);
  }

  call(call: ToolCall): void {
    this.count++;
    this.events.push({ type: "call", call });
  }

  /** `why` follows `The call of "name"`, and is no whole sentence: `is not JSON`. */
  malformed(name: string | null, why: string, text: string): void {
    const message = `The call${name === null ? "" : ` of "${name}"`} ${why}.`;
    this.events.push({ type: "malformed", error: { index: this.count++, name, message, text } });
  }

  /** The events since the last time. */
  take(): readonly ToolParserEvent[] {
    const events = this.events;
    this.events = [];
    return events;
  }

  private text(type: "content" | "reasoning", text: string): void {
    const last = this.events.at(-1);
    if (last?.type === type) this.events[this.events.length - 1] = { type, text: last.text + text };
    else this.events.push({ type, text });
  }
}
