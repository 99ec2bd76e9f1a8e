import type { TrajectoryRecord } from "../../core/plugin.js";

/** Of a text in a table: a prompt may be as long as a model's context. */
const LONGEST_TEXT = 32_768;

/** A validation sample in the table `val/generations`. */
export interface GenerationRow {
  readonly input: string;
  readonly output: string;
  /** The ground truth; structures as JSON. */
  readonly gts: string;
  readonly score: number | null;
}

/** The name of the table, as in verl. */
export const GENERATIONS = "val/generations";

export function generationRows(records: readonly TrajectoryRecord[]): GenerationRow[] {
  return records
    .filter(({ split }) => split === "val")
    .map(({ promptText, responseText, groundTruth, score }) => ({
      input: shortened(promptText),
      output: shortened(responseText),
      gts: shortened(typeof groundTruth === "string" ? groundTruth : (JSON.stringify(groundTruth) ?? "")),
      score,
    }));
}

function shortened(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT)}… (${text.length - LONGEST_TEXT} more characters)`;
}
