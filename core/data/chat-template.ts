import { isVerlError, reasonOf } from "../host/errors.js";
import type { Statement } from "./chat-template/ast.js";
import { TemplateFailure, tooDeep } from "./chat-template/errors.js";
import { fromJs } from "./chat-template/from-js.js";
import { templateGlobals } from "./chat-template/globals.js";
import { Interpreter } from "./chat-template/interpreter.js";
import { Scope } from "./chat-template/scope.js";
import { parseTemplate } from "./chat-template/statement-parser.js";
import { MAX_WORK, withAccount } from "./chat-template/work.js";
import { tokenizerErrors } from "./tokenizer-errors.js";

/**
 * A chat template, rendered as Python's Jinja does with the settings of Hugging Face (`trim_blocks`, `lstrip_blocks`, loop controls,
 * the immutable sandbox, `tojson`, `raise_exception`, `strftime_now`, `{% generation %}`).
 */
export class ChatTemplate {
  private readonly program: readonly Statement[];

  constructor(
    readonly source: string,
    private readonly now: () => Date = () => new Date(),
  ) {
    try {
      this.program = parseTemplate(source);
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
        const globals = new Scope();
        for (const [name, value] of templateGlobals(this.now)) globals.set(name, value);
        for (const [name, value] of Object.entries(variables))
          if (value !== undefined) globals.set(name, fromJs(value));
        return new Interpreter().render(this.program, new Scope(globals));
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
