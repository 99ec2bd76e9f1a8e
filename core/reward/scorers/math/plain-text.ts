const WRAPPERS = /\\(?:text|textbf|textit|textrm|textnormal|mbox|mathrm|mathbf|mathit|operatorname)\s*\{([^{}]*)\}/g;
const INVISIBLE = /\\(?:left|right)(?![A-Za-z])|\\[,!;: ]|\$|[“”"*]/g;
const CHOICE = /^\(?([A-Z])\)?$/;

/** An answer without what does not show: wrappers, spaces, a full stop at the end. */
export function plainText(text: string): string {
  const unwrapped = text.replace(WRAPPERS, "$1").replace(WRAPPERS, "$1").replace(INVISIBLE, "");
  const bare = unwrapped.normalize("NFKC").replace(/\s+/g, betweenDigits);
  let end = bare.length;
  while (end > 0 && ".,;:!".includes(bare[end - 1])) end--;
  const trimmed = bare.slice(0, end);
  return /^\(\p{L}+\)$/u.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}

/** Spaces show nothing, except that `1 2` is not 12. */
function betweenDigits(run: string, at: number, text: string): string {
  return /\d/.test(text[at - 1] ?? "") && /\d/.test(text[at + run.length] ?? "") ? " " : "";
}

/** Words and nothing that needs mathematics: `June 20`, `3:45 p.m.` */
export function isProse(text: string): boolean {
  const plain = plainText(text);
  return /\p{L}{2}|\p{L}\.\p{L}/u.test(plain) && /^[\p{L}\p{M}\p{N} .,:;!?'’()/&-]+$/u.test(plain);
}

/** Equal as text. Prose may differ in case; of a choice the letter counts: `(B)`, `B.` and `(B) 12` are B. */
export function samePlainText(gold: string, given: string, prose: boolean): boolean {
  const [a, b] = [plainText(gold), plainText(given)];
  if (a === b) return true;
  const choice = CHOICE.exec(a)?.[1];
  if (choice !== undefined) return isChoice(choice, b);
  return prose && a.toLowerCase() === b.toLowerCase();
}

function isChoice(letter: string, given: string): boolean {
  const chosen = /^(?:\(([A-Z])\)|([A-Z])[).:])(?!.*\([A-Z]\))/.exec(given);
  return (chosen?.[1] ?? chosen?.[2]) === letter;
}
