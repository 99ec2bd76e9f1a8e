import { Environment, Interpreter, parse, tokenize } from "@huggingface/jinja";
import { isVerlError, reasonOf } from "../host/errors.js";
import { strftime } from "./strftime.js";
import { tokenizerErrors } from "./tokenizer-errors.js";

/** A chat template, parsed once with the settings that Hugging Face gives to Jinja. */
export class ChatTemplate {
  private readonly program: ReturnType<typeof parse>;

  constructor(
    readonly source: string,
    private readonly now: () => Date = () => new Date(),
  ) {
    try {
      this.program = parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true }));
    } catch (cause) {
      throw tokenizerErrors.VERL_DATA_CHAT_TEMPLATE_INVALID({
        what: "the chat template cannot be parsed",
        why: reasonOf(cause),
        cause,
      });
    }
  }

  /** Render with these variables (`messages`, `tools`, `add_generation_prompt`, special tokens, …). */
  render(variables: Readonly<Record<string, unknown>>): string {
    const environment = new Environment();
    for (const [name, value] of Object.entries({ ...this.globals(), ...variables })) environment.set(name, value);
    try {
      return String((new Interpreter(environment).run(this.program) as { value: unknown }).value);
    } catch (cause) {
      if (isVerlError(cause)) throw cause;
      throw tokenizerErrors.VERL_DATA_CHAT_TEMPLATE_FAILED({
        what: "the chat template failed on these messages",
        why: reasonOf(cause),
        cause,
      });
    }
  }

  private globals(): Record<string, unknown> {
    return {
      true: true,
      false: false,
      none: null,
      True: true,
      False: false,
      None: null,
      range: pythonRange,
      strftime_now: (format: string) => strftime(this.now(), format),
      raise_exception: (message: string) => {
        throw tokenizerErrors.VERL_DATA_CHAT_TEMPLATE_REFUSED({ what: `the chat template says: ${message}` });
      },
    };
  }
}

function pythonRange(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  if (step === 0) throw new Error("range() step must not be zero");
  const count = Math.max(0, Math.ceil((stop - start) / step));
  return Array.from({ length: count }, (_, i) => start + i * step);
}
