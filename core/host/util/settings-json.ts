import type { JsonValue } from "../types.js";
import { endOfJsonString, parseOutsideJson } from "./outside-json.js";
import { shown } from "./shown.js";

/** A file of settings gives one key two values. `JSON.parse` takes the last one without a word. */
export class TwoValuesError extends SyntaxError {
  constructor(
    key: string,
    /** Of the second value. */
    readonly line: number,
    first: number,
  ) {
    super(`the key ${shown(key)} has two values, in line ${first} and in line ${line}`);
  }
}

/**
 * {@link parseOutsideJson} for settings that people edit: a key that occurs twice in an object, with values that differ, is a
 * {@link TwoValuesError}, as in YAML. Twice the same value does no harm, and published models have such.
 */
export function parseSettingsJson(text: string): JsonValue {
  const value = parseOutsideJson(text);
  refuseTwoValues(text);
  return value;
}

/** From where to where the text of a value goes. */
type Span = readonly [start: number, end: number];

interface Frame {
  /** Null for a list. */
  readonly spans: Map<string, Span> | null;
  key: string | null;
  start: number;
}

/** @param text  what is JSON */
function refuseTwoValues(text: string): void {
  const open: Frame[] = [];
  for (let at = 0; at < text.length; at++) {
    const frame = open.at(-1);
    switch (text[at]) {
      case '"': {
        const end = endOfJsonString(text, at);
        if (frame?.spans && frame.key === null) {
          frame.key = JSON.parse(text.slice(at, end)) as string;
          frame.start = text.indexOf(":", end) + 1;
        }
        at = end - 1;
        break;
      }
      case "{":
      case "[":
        open.push({ spans: text[at] === "{" ? new Map() : null, key: null, start: at });
        break;
      case ",":
        if (frame) endValue(text, frame, at);
        break;
      case "}":
      case "]":
        if (frame) endValue(text, frame, at);
        open.pop();
    }
  }
}

function endValue(text: string, frame: Frame, end: number): void {
  const { spans, key, start } = frame;
  if (!spans || key === null) return;
  frame.key = null;
  const before = spans.get(key);
  if (before && text.slice(...before).trim() !== text.slice(start, end).trim()) {
    throw new TwoValuesError(key, lineOf(text, start), lineOf(text, before[0]));
  }
  spans.set(key, [start, end]);
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split("\n").length;
