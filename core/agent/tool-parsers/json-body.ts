import { JsonScanner } from "./json-scanner.js";
import { TagSet } from "./tag-set.js";
import type { Parsing, TextCursor } from "./text-cursor.js";

/** What stands between two tags where JSON is due. */
export interface JsonBody {
  readonly text: string;
  /** The tag that ended it, not yet read; null at the end of the text. */
  readonly stop: string | null;
  /** Why the text is not JSON, or null. */
  readonly problem: string | null;
}

/**
 * Reads JSON up to one of `stops`. A stop inside a string is part of the string; where the text has ceased to be JSON, the next
 * one counts. But a string that lacks its end takes in the stop that was meant: if JSON fails with a string that holds a stop,
 * and one of `opens` or the end of the text comes before another stop, the one in the string counts.
 */
export function* readJson(input: TextCursor, stops: TagSet, opens: TagSet = NO_TAGS): Parsing<JsonBody> {
  const scanner = new JsonScanner();
  input.begin();
  let stop = yield* scanJson(input, scanner, stops);
  if (stop !== null) return { text: input.commit(), stop, problem: scanner.end() };

  const text = input.recorded();
  const hidden = stops.find(text, scanner.lastString);
  if (hidden === null) {
    if (scanner.broken) stop = yield* input.until(stops);
    return { text: input.commit(), stop, problem: scanner.end() };
  }
  if (scanner.broken) {
    const inString = opens.find(text, hidden.at)?.tag;
    stop = inString ?? (yield* input.until(new TagSet([...opens.tags, ...stops.tags])));
  }
  const counts = scanner.broken ? stop === null || opens.tags.includes(stop) : endsWithOneOf(text, stops);
  if (!counts) return { text: input.commit(), stop, problem: scanner.end() };
  input.rollback();
  input.skip(text.slice(0, hidden.at));
  return { text: text.slice(0, hidden.at), stop: hidden.tag, problem: "a string does not end" };
}

const NO_TAGS = new TagSet([]);

/** White space and one special token may follow. */
function endsWithOneOf(text: string, stops: TagSet): boolean {
  const rest = text.trimEnd();
  const token = /^<\|[^<>|]*\|>$/.test(rest.slice(rest.lastIndexOf("<|"))) ? rest.lastIndexOf("<|") : rest.length;
  return [rest, rest.slice(0, token).trimEnd()].some((end) => stops.tags.some((tag) => end.endsWith(tag)));
}

/** Pushes text into the scanner up to a tag that is not inside a string, or to where the text is no JSON any more. */
export function* scanJson(input: TextCursor, scanner: JsonScanner, stops: TagSet): Parsing<string | null> {
  while (!scanner.broken && (input.ready || (yield* input.more()))) {
    if (!scanner.inString && stops.mayBegin(input.unit)) {
      const stop = yield* input.match(stops);
      if (stop !== null) return stop;
    }
    scanner.push(input.unit);
    input.skip(1);
  }
  return null;
}

/** The raw texts of an object's members, the last of a name; null if the JSON is no object. */
export function membersOf(json: string): Map<string, string> | null {
  let at = afterSpace(json, 0);
  if (json[at] !== "{") return null;
  const members = new Map<string, string>();
  at = afterSpace(json, at + 1);
  while (json[at] === '"') {
    const nameEnd = afterString(json, at);
    const name = JSON.parse(json.slice(at, nameEnd)) as string;
    const start = afterSpace(json, afterSpace(json, nameEnd) + 1);
    const end = afterValue(json, start);
    members.set(name, json.slice(start, end));
    at = afterSpace(json, end);
    if (json[at] === ",") at = afterSpace(json, at + 1);
  }
  return members;
}

function afterValue(json: string, at: number): number {
  if (json[at] === '"') return afterString(json, at);
  if (json[at] !== "{" && json[at] !== "[") {
    while (at < json.length && !", \n\r\t}]".includes(json[at])) at++;
    return at;
  }
  let depth = 0;
  do {
    const character = json[at];
    if (character === '"') {
      at = afterString(json, at);
      continue;
    }
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    at++;
  } while (depth > 0);
  return at;
}

function afterString(json: string, at: number): number {
  for (at++; json[at] !== '"'; at++) if (json[at] === "\\") at++;
  return at + 1;
}

function afterSpace(json: string, at: number): number {
  while (" \n\r\t".includes(json[at] ?? "x")) at++;
  return at;
}
