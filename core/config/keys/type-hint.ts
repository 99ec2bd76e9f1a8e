import { nearestName } from "../../host/util/nearest.js";
import { asTyped } from "../compose/quoting.js";
import type { Node, Path } from "../compose/tree.js";

interface Hint {
  readonly why?: string;
  readonly fix?: string;
}

/** Why a value may have the wrong type, and how it would have the right one. `below` leads from its key to a value inside it. */
export function typeHint(node: Node | null, expected: string, below: Path): Hint {
  return unquoted(node, expected, below) ?? unsafe(node, expected) ?? hint(node, expected);
}

/** What is not text because it is not quoted: a run that is named `nan`, `1e3` or `true`. */
function unquoted(node: Node | null, expected: string, below: Path): Hint | null {
  if (node?.kind === "list") {
    const at = node.items.findIndex((item) => item.kind !== "scalar" || typeof item.value !== "string");
    return at < 0 || below.length > 0 ? null : unquoted(node.items[at], expected, [String(at)]);
  }
  if (node?.kind !== "scalar" || typeof node.value === "string" || !/\btexts?\b/.test(expected)) return null;
  const kinds = { number: "a number", boolean: "true or false", object: "no value at all" } as const;
  const why = `Without quotes it is ${kinds[typeof node.value as keyof typeof kinds]}.`;
  const { source } = node;
  if (source.kind === "file") return { why, fix: "Write it in quotes." };
  if (source.kind !== "override") return null;
  if (source.text.includes("${")) {
    return { why: "A reference alone keeps its type.", fix: "Put text beside it, as in run-${trainer.seed}." };
  }
  const typed = asTyped(source.text, below.length === 0 ? null : Number(below[0]));
  if (typed === null) return { why };
  const quote = `uote it, and all of it for the shell: ${typed}`;
  // Whoever writes null rather wants no value than this word.
  return {
    why,
    fix: node.value === null ? `Leave it out for its default; if the word is meant, q${quote}` : `Q${quote}`,
  };
}

/** Beyond these, whole numbers are no longer told apart. */
function unsafe(node: Node | null, expected: string): Hint | null {
  if (node?.kind !== "scalar" || !/whole number/.test(expected) || !Number.isInteger(node.value)) return null;
  return Number.isSafeInteger(node.value) ? null : { why: `Whole numbers go up to ${Number.MAX_SAFE_INTEGER}.` };
}

/** The usual reasons why a value is text although a number or a switch was meant. */
function hint(node: Node | null, expected: string): Hint {
  if (node?.kind !== "scalar" || typeof node.value !== "string") return {};
  const text = node.value;
  const wantsNumber = /number/.test(expected);
  const number = text.replaceAll("_", "").trim();
  if (wantsNumber && number !== "" && Number.isFinite(Number(number))) {
    return text.includes("_")
      ? { why: "A number with _ is text in YAML 1.2.", fix: `Write ${number}.` }
      : { why: "It is text, not a number: quoted, or from the environment.", fix: `Write ${text} without quotes.` };
  }
  if (/true or false/.test(expected)) {
    if (/^(yes|on|y)$/i.test(text)) return { why: `"${text}" is text in YAML 1.2.`, fix: "Write true." };
    if (/^(no|off|n)$/i.test(text)) return { why: `"${text}" is text in YAML 1.2.`, fix: "Write false." };
    if (/^(true|false)$/i.test(text))
      return { why: "It is quoted.", fix: `Write ${text.toLowerCase()} without quotes.` };
  }
  const choices = /one of ([^:]+?)( or null)?$/.exec(expected)?.[1].split(", ");
  const nearest = choices ? nearestName(text, choices) : null;
  return nearest ? { fix: `Did you mean ${nearest}?` } : {};
}
