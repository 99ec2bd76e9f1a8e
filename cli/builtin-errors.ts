/** Error tables of the built-ins, for `verl explain` and the reference page: the core's own are gathered in the core. */
import type { ErrorTable } from "../core/plugin.js";
import { errors as onnxErrors } from "../engines/onnx/errors.js";
import { toolErrors } from "../plugins/tools/errors.js";
import { trackerErrors } from "../plugins/trackers/errors.js";

export const BUILTIN_ERRORS: readonly ErrorTable[] = [onnxErrors.table, toolErrors.table, trackerErrors.table];
