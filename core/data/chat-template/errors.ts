/** A failure inside a template, with the name of the exception that Python would raise. Never leaves the chat-template room. */
export class TemplateFailure extends Error {
  constructor(
    readonly kind: PythonError,
    message: string,
    /** Line of the template, counted from 1, once known. */
    public line?: number,
  ) {
    super(message);
  }
}

export type PythonError =
  | "TypeError"
  | "ValueError"
  | "IndexError"
  | "KeyError"
  | "ZeroDivisionError"
  | "OverflowError"
  | "RecursionError"
  | "AttributeError"
  | "AssertionError"
  | "NameError"
  | "RuntimeError"
  | "UnicodeEncodeError"
  | "UndefinedError"
  | "FilterArgumentError"
  | "TemplateSyntaxError"
  | "TemplateRuntimeError";

/** What Python says when calls, blocks or values lie too deep inside each other. */
export function tooDeep(): TemplateFailure {
  return new TemplateFailure("RecursionError", "maximum recursion depth exceeded");
}

export function fail(kind: PythonError, message: string): never {
  throw new TemplateFailure(kind, message);
}
