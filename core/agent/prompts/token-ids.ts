import { shown } from "../../host/util/shown.js";

/** What {@link tokenIdProblem} looks at. */
export interface TokenLists {
  readonly promptIds: ArrayLike<unknown>;
  readonly responseIds: ArrayLike<unknown>;
}

/**
 * The first token of a trajectory that the model cannot have: a sentence, or null. `vocabSize` is the model's, null where it is not
 * known; a tokenizer may have fewer tokens.
 */
export function tokenIdProblem({ promptIds, responseIds }: TokenLists, vocabSize: number | null): string | null {
  for (const [part, ids] of [
    ["prompt", promptIds],
    ["response", responseIds],
  ] as const) {
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i];
      if (Number.isInteger(id) && (id as number) >= 0 && (vocabSize === null || (id as number) < vocabSize)) continue;
      const known = vocabSize === null ? "" : ` of the model, whose ids are 0 to ${vocabSize - 1}`;
      return `${part} token ${i} is ${printed(id)}, which is no token id${known}`;
    }
  }
  return null;
}

/** A text stands in quotes: the number in it is none. */
function printed(id: unknown): string {
  if (typeof id === "number") return String(id);
  try {
    return shown(id);
  } catch {
    return Object.prototype.toString.call(id);
  }
}

/** What to do about it. */
export const TOKEN_ID_FIX =
  "take token ids from the run's tokenizer and the inference server alone, and let the server serve the model that is trained";
