/** Values of options; apart from what uses them, so that `--help` loads nothing else. */
export const ORDERS = ["file", "worst", "best", "gap", "longest"] as const;
export const HEATS = ["gap", "probability", "none"] as const;
export const SPLITS = ["train", "val"] as const;
