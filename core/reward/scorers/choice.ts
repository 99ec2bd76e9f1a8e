import { comparableText } from "./qa-text.js";

export interface Choice {
  readonly label: string;
  readonly text: string;
}

/** Longer texts are no choice. */
const LONGEST = 1000;
const WRAPPERS = /\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}/g;
const LABEL = /^(?:option|choice)?\s*\(?([A-Z]|[1-9])\)?(?=$|[\s).:,])/iu;
/** Another label in the same answer: `B or C`, `(B), (C)`. */
const ANOTHER = /(?:^|\s|[,/&])(?:and|or|,|\/|&)\s*\(?[A-Z1-9]\)?(?![\p{L}\p{N}])|\([A-Z]\)/u;

/** Choices as data sets hold them: texts, labelled A, B, C, …, or `{label: […], text: […]}`. */
export function choicesIn(value: unknown): readonly Choice[] {
  if (Array.isArray(value)) {
    return value.map((text, i) => ({ label: String.fromCharCode(65 + i), text: String(text) }));
  }
  if (typeof value !== "object" || value === null) return [];
  const { label, text } = value as { readonly label?: unknown; readonly text?: unknown };
  if (!Array.isArray(label) || !Array.isArray(text)) return [];
  return text.map((each, i) => ({ label: String(label[i]).toUpperCase(), text: String(each) }));
}

/** The one label that an answer names, or whose choice it repeats; null for none or several. */
export function labelIn(answer: string, choices: readonly Choice[]): string | null {
  if (answer.length > LONGEST) return null;
  const text = answer
    .replace(WRAPPERS, "$1")
    .replace(/\\[,;! ]|[$*~]/g, " ")
    .trim();
  const same = choices.filter((choice) => comparableText(choice.text) === comparableText(text));
  if (same.length === 1) return same[0].label;
  const found = LABEL.exec(text);
  // A small letter is a label only alone: "a dog" is no choice A.
  if (!found || (/[a-z]/.test(found[1]) && found[0].length < text.replace(/\.$/, "").length)) return null;
  if (ANOTHER.test(text.slice(found[0].length))) return null;
  const label = found[1].toUpperCase();
  return choices.length === 0 || choices.some((choice) => choice.label === label) ? label : null;
}
