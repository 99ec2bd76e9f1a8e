import { defineErrors } from "../host/errors.js";

export const dataErrors = defineErrors({
  VERL_BATCH_MISMATCH: {
    summary: "Parts of a batch do not fit together: lengths, names, values or meta differ.",
    fix: "Give every tensor and column the same first dimension, and merge only batches that agree.",
  },
  VERL_BATCH_UNKNOWN_COLUMN: {
    summary: "A batch was asked for a column or key that it does not have.",
  },
  VERL_BATCH_INDEX: {
    summary: "An index, count or size does not fit the batch.",
  },
});
