import type { Rational } from "./rational.js";

/** A piece of an answer, LaTeX or plain. */
export type Token = { readonly spaced: boolean } & (
  | { readonly kind: "number"; readonly text: string; readonly value: Rational }
  /** A variable, a constant (`π`, `e`, `i`, `∞`) or a function. */
  | { readonly kind: "name"; readonly name: string }
  /** A command that takes arguments: `frac`, `sqrt`, `binom`, `decorate`, `bold`. */
  | { readonly kind: "command"; readonly name: string }
  /** Prose or a unit. */
  | { readonly kind: "word"; readonly text: string }
  /** An operator, a bracket or a separator. */
  | { readonly kind: "sign"; readonly sign: string }
);

export const isSign = (token: Token | undefined, ...signs: readonly string[]): boolean =>
  token?.kind === "sign" && signs.includes(token.sign);

/** Thrown inside this folder where a text is no mathematical answer; never leaves it. */
export class Unreadable extends Error {}

export function textOf(token: Token): string {
  if (token.kind === "sign") return token.sign;
  return token.kind === "number" || token.kind === "word" ? token.text : token.name;
}

const OPENING: ReadonlySet<string> = new Set(["(", "[", "{", "\\{", "⟨", "⌊", "⌈", "begin"]);
const CLOSING: ReadonlySet<string> = new Set([")", "]", "}", "\\}", "⟩", "⌋", "⌉", "end"]);

/** What a token does to the nesting: +1, −1 or 0. Brackets of different kinds pair, because half-open intervals do. */
export function nesting(token: Token): -1 | 0 | 1 {
  if (token.kind !== "sign") return 0;
  return OPENING.has(token.sign) ? 1 : CLOSING.has(token.sign) ? -1 : 0;
}

/** Cut at signs outside all brackets; `signs` holds those at which it was cut, in order. */
export function splitAt(
  tokens: readonly Token[],
  ...at: readonly string[]
): { readonly parts: readonly (readonly Token[])[]; readonly signs: readonly string[] } {
  const parts: Token[][] = [[]];
  const signs: string[] = [];
  let depth = 0;
  for (const token of tokens) {
    depth += nesting(token);
    if (depth < 0) throw new Unreadable("a bracket closes that was not opened");
    if (depth === 0 && token.kind === "sign" && at.includes(token.sign)) {
      signs.push(token.sign);
      parts.push([]);
    } else parts[parts.length - 1].push(token);
  }
  if (depth !== 0) throw new Unreadable("a bracket is not closed");
  return { parts, signs };
}

/** The opening and closing sign when the first bracket of the tokens closes at their end, else null. */
export function enclosing(tokens: readonly Token[]): { readonly open: string; readonly close: string } | null {
  const [first, last] = [tokens[0], tokens[tokens.length - 1]];
  if (first?.kind !== "sign" || last.kind !== "sign" || nesting(first) !== 1 || nesting(last) !== -1) return null;
  let depth = 0;
  for (let i = 0; i < tokens.length - 1; i++) {
    depth += nesting(tokens[i]);
    if (depth === 0) return null;
  }
  return { open: first.sign, close: last.sign };
}
