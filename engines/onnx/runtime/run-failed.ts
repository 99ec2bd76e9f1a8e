import { reasonOf, type VerlError } from "../../../core/plugin.js";
import { errors } from "../errors.js";

/** A run that onnxruntime did not finish, by whichever way it was called. */
export function runFailed(cause: unknown): VerlError {
  return errors.VERL_ONNX_RUN_FAILED({
    what: "onnxruntime failed while running a graph",
    why: reasonOf(cause),
    cause,
  });
}
