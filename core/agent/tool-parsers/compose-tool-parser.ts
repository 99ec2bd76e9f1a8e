import { agentErrors } from "../errors.js";
import { type Parsing, TextCursor } from "./text-cursor.js";
import type { ToolParser, ToolParserEvent, ToolParserOptions, ToolParserStream } from "./tool-parser.js";
import { TurnWriter } from "./turn-writer.js";

/** A format, as a generator that reads one turn from a cursor to its end and writes what it finds. */
export interface ToolParserForm {
  readonly name: string;
  readonly stopTokens?: readonly string[];
  parse(input: TextCursor, out: TurnWriter, options: ToolParserOptions): Parsing<void>;
}

/** Makes a parser of a generator: pushing text resumes it. */
export function composeToolParser({ name, stopTokens = [], parse }: ToolParserForm): ToolParser {
  return { name, stopTokens, create: (options = {}) => new GeneratorStream(parse, options) };
}

class GeneratorStream implements ToolParserStream {
  private readonly input = new TextCursor();
  private readonly out = new TurnWriter();
  private readonly parsing: Parsing<void>;
  /** First half of a character whose second half has not come, so that no event ends with a broken one. */
  private half = "";
  private ended = false;

  constructor(parse: ToolParserForm["parse"], options: ToolParserOptions) {
    this.parsing = parse(this.input, this.out, options);
  }

  push(text: string): readonly ToolParserEvent[] {
    if (this.ended) {
      throw agentErrors.VERL_AGENT_PARSER_ENDED({ what: "Text was pushed into a tool parser's stream after its end." });
    }
    const whole = this.half + text;
    this.half = /[\ud800-\udbff]$/.test(whole) ? whole[whole.length - 1] : "";
    return this.resume(this.half === "" ? whole : whole.slice(0, -1));
  }

  end(): readonly ToolParserEvent[] {
    if (this.ended) return [];
    this.ended = true;
    this.input.end();
    return this.resume(this.half);
  }

  private resume(text: string): readonly ToolParserEvent[] {
    this.input.feed(text);
    this.parsing.next();
    return this.out.take();
  }
}
