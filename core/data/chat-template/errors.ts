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
  | "AttributeError"
  | "UndefinedError"
  | "FilterArgumentError"
  | "TemplateSyntaxError"
  | "TemplateRuntimeError";

export function fail(kind: PythonError, message: string): never {
  throw new TemplateFailure(kind, message);
}
