import { isVerlError, reasonOf } from "../host/errors.js";
import { Context } from "./chat-template/activation.js";
import { TemplateFailure, tooDeep } from "./chat-template/errors.js";
import { fromJs } from "./chat-template/from-js.js";
import { templateGlobals } from "./chat-template/globals.js";
import { compileTemplate } from "./chat-template/statement-compiler.js";
import { parseTemplate } from "./chat-template/statement-parser.js";
import { MAX_WORK, withAccount } from "./chat-template/work.js";
import { tokenizerErrors } from "./tokenizer-errors.js";

/**
 * A chat template, rendered as Python's Jinja does with the settings of Hugging Face (`trim_blocks`, `lstrip_blocks`, loop controls,
 * the immutable sandbox, `tojson`, `raise_exception`, `strftime_now`, `{% generation %}`).
 */
export class ChatTemplate {
  private readonly run: (context: Context) => string;

  constructor(
    readonly source: string,
    private readonly now: () => Date = () => new Date(),
  ) {
    try {
      this.run = compileTemplate(parseTemplate(source));
    } catch (cause) {
      throw tokenizerErrors.VERL_DATA_CHAT_TEMPLATE_INVALID({
        what: "the chat template cannot be parsed",
        ...placeOf(cause),
        cause,
      });
    }
  }

  /**
   * Render with these variables (`messages`, `tools`, `add_generation_prompt`, special tokens, …). Numbers with integer value are
   * integers; see `parseLosslessJson` for data that tells `1` from `1.0`.
   */
  render(variables: Readonly<Record<string, unknown>>): string {
    try {
      return withAccount(MAX_WORK, () => {
        const given = new Map(templateGlobals(this.now));
        for (const [name, value] of Object.entries(variables)) if (value !== undefined) given.set(name, fromJs(value));
        return this.run(new Context(given));
      });
    } catch (error) {
      if (isVerlError(error)) throw error;
      const cause = isStackOverflow(error) ? tooDeep() : error;
      throw tokenizerErrors.VERL_DATA_CHAT_TEMPLATE_FAILED({
        what: "the chat template failed on these messages",
        ...placeOf(cause),
        cause,
      });
    }
  }
}

/** Depth is counted, but not that of generators that read generators: the engine counts those. */
function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes("call stack");
}

function placeOf(cause: unknown): { where?: string; why: string } {
  if (!(cause instanceof TemplateFailure)) return { why: reasonOf(cause) };
  const where = cause.line === undefined ? undefined : `chat template, line ${cause.line}`;
  return { where, why: `${cause.kind}: ${cause.message}` };
}
