import fc from "fast-check";
import { dumpsLikePython, parseLosslessJson } from "../../../core/data/index.js";
import { type FuzzReader, textOf } from "../fuzz-reader.js";
import { nested, soup } from "./soup.js";

const WORDS = [
  ...["{", "}", "[", "]", ",", ":", '"', "\\", "\\u", "\\ud800", "\\udc00", " ", "\n", "-", "+", ".", "e", "E+"],
  ...["null", "true", "false", "NaN", "Infinity", "-Infinity", "0", "1", "9007199254740993", "1e400", "-0.0"],
  ...['"a":', '{"a":', "[[", "]]", "\u2028", "\u00a0"],
];

/** Lossless JSON, and what Python's `json.dumps` makes of it. */
export const json: FuzzReader = {
  name: "json",
  seeds: () => [
    '{"name": "add", "arguments": {"a": 1, "b": [1.0, -0.0, 2e3, 9007199254740993], "c": null}}',
    '[true, false, "\\u00e9\\ud83d\\ude00\\n", {}, [], {"1": {"0": "x"}}, NaN, -Infinity]',
    '"text"',
  ],
  words: WORDS,
  generated: fc.oneof(fc.json({ maxDepth: 6 }), soup(WORDS)),
  hostile: {
    "100,000 open lists": () => "[".repeat(100_000),
    "100,000 nested lists": () => nested("[", "]", 100_000),
    "100,000 nested objects": () => nested('{"a":', "}", 100_000, "1"),
    "an integer of 200,000 digits": () => "9".repeat(200_000),
    "a float of 200,000 digits": () => `${"9".repeat(200_000)}.5e9`,
    "many empty objects": () => `[${"{},".repeat(60_000)}{}]`,
    "a long string of escapes": () => `"${"\\u00e9".repeat(40_000)}"`,
    "a long string that does not end": () => `"${"\\\\".repeat(100_000)}`,
    "one key many times": () => `{${'"a":1,'.repeat(40_000)}"a":2}`,
    "long white space": () => `${" ".repeat(200_000)}1${" ".repeat(200_000)}`,
  },
  read(input) {
    const value = parseLosslessJson(textOf(input));
    dumpsLikePython(value, { ensureAscii: true });
    return dumpsLikePython(value, { indent: "  ", sortKeys: false });
  },
};
