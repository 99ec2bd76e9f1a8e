import { CodePointSet } from "./code-point-set.js";
import { NORMALISED } from "./tables.js";

export type NormalForm = "NFC" | "NFD" | "NFKC" | "NFKD";

const TAKING_PART = new RegExp(`${CodePointSet.decode(NORMALISED).toPattern()}+`, "gu");

/**
 * Unicode normalisation with the characters of Unicode 9, which is what the Rust library knows: later ones pass unchanged.
 * Normalisation of assigned characters never changes from version to version, so runs of them are the platform's business.
 */
export function normalise(text: string, form: NormalForm): string {
  return text.replace(TAKING_PART, (run) => run.normalize(form));
}
