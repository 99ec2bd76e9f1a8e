import { reasonAndPlace } from "../error-place.js";
import { type ErrorCode, type ErrorDetails, isVerlError, VerlError } from "../errors.js";

/** An error as plain data, for a channel. */
export type PortableError = { readonly code: string } & ErrorDetails;

/** Errors without a code, which are defects, travel under `fallback`, with the line that threw them. */
export function portableError(error: unknown, fallback: ErrorCode): PortableError {
  if (!isVerlError(error)) return { code: fallback, what: reasonAndPlace(error) };
  const { code, what, where, why, fix, data } = error;
  return { code, what, where, why, fix, data: JSON.parse(JSON.stringify(data ?? {})) };
}

/** The coded error again, with the process in which it was thrown. */
export function revivedError({ code, what, ...details }: PortableError, who: string): VerlError {
  return new VerlError(code as ErrorCode, { ...details, what: `${who}: ${what}` });
}
