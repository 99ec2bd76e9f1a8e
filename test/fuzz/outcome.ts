import { isVerlError } from "../../core/host/errors.js";

/** How one input ended. */
export type Outcome =
  | { readonly kind: "result" }
  | { readonly kind: "coded"; readonly code: string }
  | { readonly kind: "fault"; readonly what: string; readonly stack?: string };

/** An outcome with what it cost. */
export type Measured = Outcome & { readonly cpuMs: number; readonly bytes: number };

/** A message is read by people: longer ones repeat the input. */
const MAX_MESSAGE = 32_000;

/** A coded error is as good as a result; anything else that is thrown is a fault, and so is a bug that a coded error hides. */
export function outcomeOfError(error: unknown, wrapsLibrary: boolean): Outcome {
  if (!isVerlError(error)) return fault(`threw ${nameOf(error)}`, error);
  if (error.message.length > MAX_MESSAGE)
    return fault(`${error.code} has a message of ${error.message.length} characters`, error);
  const bug = wrapsLibrary ? null : bugBehind(error.cause);
  return bug ? fault(`${error.code} hides ${nameOf(bug)}`, bug) : { kind: "coded", code: error.code };
}

/** A TypeError or RangeError of our own making; those of Node's functions have a code. */
function bugBehind(cause: unknown): Error | null {
  for (let at = cause; at instanceof Error; at = at.cause) {
    const native = at instanceof TypeError || at instanceof RangeError || at instanceof ReferenceError;
    if (native && !("code" in at)) return at;
  }
  return null;
}

function fault(what: string, error: unknown): Outcome {
  const stack = error instanceof Error ? error.stack?.split("\n").slice(0, 12).join("\n").slice(0, 2000) : undefined;
  return { kind: "fault", what, stack };
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return `a ${typeof error}`;
  return `${error.constructor.name}: ${error.message.slice(0, 200)}`;
}
