/**
 * DAPO's soft penalty for overlong responses (2503.14476). Inside a buffer before the limit it grows linearly from 0 to
 * −factor, and it keeps growing beyond the limit:
 *
 *   exceed = length − (maxResponseLength − bufferLength)      penalty = min(−exceed/bufferLength · factor, 0)
 */
import { errors } from "./errors.js";

export interface OverlongBuffer {
  readonly maxResponseLength: number;
  /** `overlong_buffer_cfg.len` */
  readonly bufferLength: number;
  /** `overlong_buffer_cfg.penalty_factor` */
  readonly penaltyFactor: number;
}

/** Check once; then a function from response length (tokens) to penalty (≤ 0). */
export function overlongPenalty(buffer: OverlongBuffer): (length: number) => number {
  const { maxResponseLength, bufferLength, penaltyFactor } = buffer;
  if (!(bufferLength > 0 && maxResponseLength >= bufferLength)) {
    throw errors.VERL_ALGORITHMS_BAD_VALUE({
      what: `the overlong buffer has len ${bufferLength} and max_resp_len ${maxResponseLength}`,
      why: "the buffer must be positive and fit into the longest response",
    });
  }
  return (length) => {
    const exceed = length - (maxResponseLength - bufferLength);
    return Math.min((-exceed / bufferLength) * penaltyFactor, 0);
  };
}
