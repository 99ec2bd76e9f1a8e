/**
 * DAPO's soft penalty for overlong responses (2503.14476, eq. 13). Inside a buffer before the limit it grows linearly from
 * 0 to −factor, which is the penalty beyond the limit:
 *
 *   exceed = length − (maxResponseLength − bufferLength)      penalty = −factor · clip(exceed/bufferLength, 0, 1)
 *
 * (`beyond: "grow"` is the reference's: it keeps growing beyond the limit.)
 */
import { errors } from "./errors.js";

export interface OverlongBuffer {
  readonly maxResponseLength: number;
  /** `overlong_buffer_cfg.len` */
  readonly bufferLength: number;
  /** `overlong_buffer_cfg.penalty_factor` */
  readonly penaltyFactor: number;
  /** What happens beyond the limit; default `clamp`. */
  readonly beyond?: "clamp" | "grow";
}

/** Check once; then a function from response length (tokens) to penalty (≤ 0). */
export function overlongPenalty(buffer: OverlongBuffer): (length: number) => number {
  const { maxResponseLength, bufferLength, penaltyFactor, beyond = "clamp" } = buffer;
  if (!(bufferLength > 0 && maxResponseLength >= bufferLength && Number.isFinite(penaltyFactor))) {
    throw errors.VERL_ALGORITHMS_BAD_VALUE({
      what: `the overlong buffer has ${said("len", bufferLength)}, ${said("penalty_factor", penaltyFactor)} and ${said("max_resp_len", maxResponseLength)}`,
      why: "the buffer must be positive and fit into the longest response, and the factor a number",
      fix: "set max_resp_len (beside overlong_buffer_cfg) and overlong_buffer_cfg.len, in tokens",
    });
  }
  if (beyond !== "clamp" && beyond !== "grow") {
    throw errors.VERL_ALGORITHMS_UNKNOWN_NAME({
      what: `overlong_buffer_cfg.beyond is ${JSON.stringify(beyond)}`,
      why: "known: clamp, grow",
    });
  }
  return (length) => {
    const exceed = (length - (maxResponseLength - bufferLength)) / bufferLength;
    return Math.min(-penaltyFactor * (beyond === "clamp" ? Math.min(exceed, 1) : exceed), 0);
  };
}

/** A value that is missing arrives as NaN. */
const said = (name: string, value: number): string =>
  Number.isNaN(value) ? `no ${name} that is a number` : `${name} ${value}`;
