import fc from "fast-check";
import { isVerlError, parseModuleList, parseSpecifier, requestedPlugins } from "../../../core/host/index.js";
import { type FuzzReader, textOf } from "../fuzz-reader.js";
import { soup } from "./soup.js";

const WORDS = [
  "@scope/",
  "name",
  "@1.2.3",
  "@^1",
  "@latest",
  "/sub",
  "./",
  "../",
  "file:",
  "file:///",
  "node:fs",
  "C:\\",
  ",",
  " ",
  "%00",
  "\0",
  "||",
  " - ",
  ">=",
  "é",
];

/** `VERL_USE_EXTERNAL_MODULES` and `VERL_USE_EXTERNAL_PLUGINS`: lists of module specifiers. */
export const modules: FuzzReader = {
  name: "modules",
  seeds: () => ["a, @s/b@^1.2.0/sub ,./c.js,,file:///d.mjs", "auto", "@verl/x@1.2.3 || 2.x"],
  words: WORDS,
  generated: fc.oneof(soup(WORDS), fc.string({ unit: "binary" })),
  hostile: {
    "a long name": () => "n".repeat(200_000),
    "a long scope": () => `@${"a.".repeat(100_000)}/`,
    "a long range": () => `a@${"1.x || ".repeat(30_000)}`,
    "a range of blanks": () => `a@>=${" ".repeat(200_000)}1x`,
    "a long version": () => `a@1.0.0-${"a.".repeat(100_000)}`,
    "a long URL": () => `file:///${"%41/".repeat(50_000)}`,
    "10,000 names": () => Array.from({ length: 10_000 }, (_, i) => `p${i}`).join(),
  },
  read(input) {
    const text = textOf(input);
    for (const name of parseModuleList(text)) specifierOrRefusal(name);
    const installed = ["verl-a", "@scope/verl-b"].map((name) => ({ name, version: "1.0.0", root: "/" }));
    return requestedPlugins({ VERL_USE_EXTERNAL_MODULES: text, VERL_USE_EXTERNAL_PLUGINS: text }, [], installed);
  },
};

/** A refused name must not keep the others from being read. */
function specifierOrRefusal(name: string): unknown {
  try {
    return parseSpecifier(name);
  } catch (error) {
    if (isVerlError(error)) return error;
    throw error;
  }
}
