import { AssertionError } from "chai";
import type { ErrorCode } from "../../../core/host/errors.js";
import { isVerlError, type VerlError } from "../../../core/host/errors.js";

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new AssertionError("expected a rejection");
}

/** The coded error that a promise rejects with. */
export async function codedRejection(code: ErrorCode, promise: Promise<unknown>): Promise<VerlError> {
  const error = await rejection(promise);
  if (!isVerlError(error) || error.code !== code) throw new AssertionError(`expected ${code}, got ${String(error)}`);
  return error;
}

/** The coded error that a call throws. */
export function codedError(code: ErrorCode, call: () => unknown): Promise<VerlError> {
  return codedRejection(code, (async () => call())());
}
