import {
  clip,
  maskedMean,
  maskedSum,
  maskedVar,
  maskedWhiten,
  rowMeans,
  rowSums,
} from "../../../core/algorithms/masked.js";
import {
  maskUntilEos,
  padRows,
  padTo,
  removePadding,
  type Truncation,
  truncateTo,
} from "../../../core/algorithms/padding.js";
import { type Family, type GoldenCase, rowOffsets, rowsOf } from "../case.js";

const masked = (c: GoldenCase) => [c.data("values"), c.data("mask")] as const;
const byRow = (c: GoldenCase) => c.params.axis !== null && c.params.axis !== undefined;

export const maskedOpsFamily: Family = {
  masked_sum(c) {
    const args = masked(c);
    return { outputs: { out: byRow(c) ? rowSums(...args, rowOffsets(c.tensor("mask"))) : maskedSum(...args) } };
  },
  masked_mean(c) {
    const args = masked(c);
    return { outputs: { out: byRow(c) ? rowMeans(...args, rowOffsets(c.tensor("mask"))) : maskedMean(...args) } };
  },
  masked_var: (c) => ({ outputs: { out: maskedVar(...masked(c), c.param("unbiased", true)) } }),
  masked_whiten: (c) => ({ outputs: { out: maskedWhiten(...masked(c), c.param("shift_mean", true)) } }),
  clip_by_value(c) {
    const [min, max] = [c.data("min"), c.data("max")];
    return { outputs: { out: c.data("x").map((x, i) => clip(x, min[i], max[i])) } };
  },
  response_mask_from_eos: (c) => ({
    outputs: { mask: rowsOf(c.tensor("response_ids")).map((row) => maskUntilEos(row, c.param("eos_token"))) },
  }),
  pad_2d_list: (c) => ({
    outputs: { out: padRows(c.input("lists"), c.param("pad_token_id"), c.param("max_length", 0)) },
  }),
  pad_sequence(c) {
    const rows = rowsOf(c.tensor("x"));
    const pad = c.param<number>("pad_token_id");
    return {
      outputs: { out: rows.map((row) => padTo(row, c.param("max_seq_len"), pad, c.param("left_pad", false))) },
    };
  },
  pad_or_truncate(c) {
    const [length, leftPad] = [c.param<number>("max_length"), c.param("left_pad", true)];
    const fitted = (name: string, pad: number) =>
      rowsOf(c.tensor(name)).map((row) =>
        padTo(truncateTo(row, length, c.param<Truncation>("truncation", "error")), length, pad, leftPad),
      );
    return {
      outputs: { input_ids: fitted("input_ids", c.param("pad_token_id")), attention_mask: fitted("attention_mask", 0) },
    };
  },
  remove_pad_token(c) {
    const masks = rowsOf(c.tensor("attention_mask"));
    return { outputs: { out: rowsOf(c.tensor("input_ids")).map((row, i) => removePadding(row, masks[i])) } };
  },
};
