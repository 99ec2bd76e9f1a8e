import { composeToolParser } from "./compose-tool-parser.js";
import { readJson } from "./json-body.js";
import { isJson } from "./json-scanner.js";
import { Prose } from "./prose.js";
import { TagSet } from "./tag-set.js";
import type { Parsing, TextCursor } from "./text-cursor.js";
import type { ToolParserOptions } from "./tool-parser.js";
import type { TurnWriter } from "./turn-writer.js";

const START = "<|start|>";
const CHANNEL = "<|channel|>";
const CONSTRAIN = "<|constrain|>";
const MESSAGE = "<|message|>";
const END = "<|end|>";
const RETURN = "<|return|>";
const CALL = "<|call|>";

const OPENS = [START, CHANNEL];
const MESSAGE_ENDS = [END, RETURN, ...OPENS];
const CALL_ENDS = new TagSet([CALL, END, RETURN, START]);

/**
 * Harmony, as gpt-oss writes it: messages `<|start|>assistant<|channel|>CHANNEL<|message|>TEXT<|end|>`, of which the first may lack what
 * the prompt ended with. A message `to=functions.NAME` that ends with `<|call|>` is a call; one of the channel `analysis` is
 * thought; of the others the bare text is content. What is no message stays as it is.
 */
export const gptOss = composeToolParser({
  name: "gpt-oss",
  parse: (input, out, options) => new Turn(input, out, options).parse(),
});

class Turn {
  private readonly between: Prose;
  private readonly inMessage: Prose;
  private readonly inHeader: TagSet;

  constructor(
    private readonly input: TextCursor,
    private readonly out: TurnWriter,
    private readonly options: ToolParserOptions,
  ) {
    const drops = [options.padToken];
    this.between = new Prose(input, out, { opens: OPENS, drops });
    this.inMessage = new Prose(input, out, { opens: MESSAGE_ENDS, drops });
    this.inHeader = new TagSet([MESSAGE, CHANNEL, CONSTRAIN, ...drops, "<", "\n"]);
  }

  *parse(): Parsing<void> {
    const { input } = this;
    if (this.options.startsInThought) yield* this.between.think(END);
    input.begin();
    yield* input.skipSpace();
    const recipient = (yield* input.match(RECIPIENT)) !== null;
    input.rollback();
    if (recipient) yield* this.message();
    while ((yield* this.between.next()) !== null) yield* this.message();
  }

  /** A message, whose header begins at the cursor. */
  private *message(): Parsing<void> {
    const { input, out } = this;
    input.begin();
    const header = yield* this.header();
    if (header?.tool !== undefined) {
      const body = yield* readJson(input, CALL_ENDS, OPENING);
      if (body.stop !== CALL) return out.content(this.withoutPads(input.commit()));
      input.skip(CALL);
      this.writeCall(header.tool, body.text, body.problem, input.commit());
    } else if (header?.isThought) {
      input.commit();
      yield* this.between.think(END);
    } else if (header?.isBare) {
      input.commit();
      const tag = yield* this.inMessage.next();
      if (tag === END || tag === RETURN) input.skip(tag);
    } else out.content(this.withoutPads(input.commit()));
  }

  /** Null, having read it as far as it is well-formed, if it is none. */
  private *header(): Parsing<Header | null> {
    const { input } = this;
    const start = (yield* input.match(OPENING)) ?? "";
    input.skip(start);
    input.begin();
    let tag = yield* input.until(this.inHeader);
    while (tag === CHANNEL || tag === CONSTRAIN || (tag !== null && tag === this.options.padToken)) {
      input.skip(tag);
      tag = yield* input.until(this.inHeader);
    }
    const text = start + this.withoutPads(input.commit());
    if (tag !== MESSAGE) return null;
    input.skip(tag);
    return headerOf(text);
  }

  private writeCall(name: string, body: string, problem: string | null, text: string): void {
    const args = problem === null ? body : this.withoutPads(body);
    if (name === "") this.out.malformed(null, "names no tool", text);
    else if (problem === null || isJson(args)) this.out.call({ name, arguments: args });
    else this.out.malformed(name, `has arguments that are not JSON: ${problem}`, text);
  }

  private withoutPads(text: string): string {
    return this.options.padToken ? text.replaceAll(this.options.padToken, "") : text;
  }
}

const OPENING = new TagSet(OPENS);
const RECIPIENT = new TagSet(["to="]);

interface Header {
  /** The function that the message calls. */
  readonly tool?: string;
  readonly isThought?: boolean;
  /** The message is for the user. */
  readonly isBare?: boolean;
}

/** What a header says. The recipient may stand with the role or with the channel. */
function headerOf(text: string): Header {
  const role = text.startsWith(START) ? /^\s*(\w*)/.exec(text.slice(START.length))?.[1] : "assistant";
  if (role !== "assistant") return {};
  const recipient = /(?:^|[\s>])to=([^\s<]*)/.exec(text)?.[1];
  const channel = /<\|channel\|>\s*(\w*)/.exec(text)?.[1] ?? "final";
  if (recipient !== undefined) return recipient.startsWith("functions.") ? { tool: recipient.slice(10) } : {};
  return { isThought: channel === "analysis", isBare: channel === "final" || channel === "commentary" };
}
