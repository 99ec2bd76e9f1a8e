import { expect } from "chai";
import { TokenizerPipeline } from "../../../../core/data/tokenizer/pipeline.js";
import { isVerlError } from "../../../../core/host/errors.js";
import { errorOf } from "../../formats/support.js";
import { readVectors, TOKENIZER_FILES, type TokenizersFile, wholeJson } from "./vector-files.js";

type Json = Record<string, unknown>;

const files = TOKENIZER_FILES.map((name) => readVectors<TokenizersFile>("test/core/data/tokenizers/vectors", name));

function jsonOf(name: string): Json {
  const file = files.find(({ cases }) => cases.some((one) => one.name === name))!;
  return structuredClone(wholeJson(file, file.cases.find((one) => one.name === name)!));
}

const REMOVED = Symbol("removed");
const WRONG: readonly unknown[] = [
  REMOVED,
  null,
  -1,
  2.5,
  1e12,
  "x",
  "",
  true,
  [],
  {},
  [null],
  [["a"]],
  { type: "Sequence" },
];

/** Paths of all values, but of vocabularies and merges only the first few. */
function* paths(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== "object" || value === null) return;
  const crowded = ["vocab", "merges"].includes(path.at(-1) ?? "");
  for (const [key, inner] of Object.entries(value).slice(0, crowded ? 2 : undefined))
    yield* paths(inner, [...path, key]);
}

function change(json: Json, path: readonly string[], value: unknown): Json {
  const [key, ...rest] = path;
  const copy = (Array.isArray(json) ? [...json] : { ...json }) as Json;
  if (rest.length > 0) copy[key] = change(copy[key] as Json, rest, value);
  else if (value === REMOVED && Array.isArray(copy)) copy.splice(Number(key), 1);
  else if (value === REMOVED) delete copy[key];
  else copy[key] = value;
  return copy;
}

const tryOut = (json: unknown) => {
  const pipeline = new TokenizerPipeline(json);
  for (const text of ["", "The <Tok> 12 é", "a\u00a0b"]) pipeline.encode(text, true);
  const stream = pipeline.decodingStream();
  for (const token of ["a", "\u2581the", "<0xE4>"]) stream.push(token);
  stream.pending();
};

describe("a malformed tokenizer.json", () => {
  for (const name of [
    "llama",
    "gemma",
    "mistral",
    "byte level",
    "t5",
    "albert",
    "bert cased",
    "roberta frame",
    "words",
  ]) {
    it(`gives a coded error or is used, whatever value is wrong: ${name}`, () => {
      const json = jsonOf(name);
      for (const path of paths(json)) {
        for (const value of WRONG) {
          try {
            tryOut(change(json, path, value));
          } catch (error) {
            if (!isVerlError(error)) throw new Error(`${path.join(".")} = ${String(value)}`, { cause: error });
          }
        }
      }
    });
  }

  const refused: readonly (readonly [string, string, (json: Json) => unknown, RegExp])[] = [
    ["is no object", "llama", () => [], /the whole must be an object/],
    ["has no model", "llama", (json) => ({ ...json, model: undefined }), /model must be an object, and is missing/],
    ["is of another version", "llama", (json) => ({ ...json, version: "2.0" }), /version/],
    [
      "has an unknown step",
      "llama",
      (json) => change(json, ["normalizer", "type"], "Sorcery"),
      /normalizer\.type|Sorcery/,
    ],
    [
      "has an id out of range",
      "llama",
      (json) => change(json, ["model", "vocab", "a"], 1e9),
      /model\.vocab\.a must be a token id/,
    ],
    [
      "has a negative id",
      "llama",
      (json) => change(json, ["added_tokens", "0", "id"], -1),
      /added_tokens\[0\]\.id must be a token id/,
    ],
    [
      "has one id twice",
      "llama",
      (json) => change(json, ["model", "vocab", "a"], 0),
      /"<unk>" and "a" have the same id 0/,
    ],
    [
      "declares another id than the vocabulary",
      "llama",
      (json) => change(json, ["added_tokens", "1", "id"], 7),
      /"<s>" is declared with the id 7, but the vocabulary gives it 1/,
    ],
    [
      "merges what is no token",
      "llama",
      (json) => change(json, ["model", "merges", "0"], ["zz", "a"]),
      /merge needs "zz"/,
    ],
    [
      "has a merge of three",
      "byte level, merges as texts",
      (json) => change(json, ["model", "merges", "0"], "a b c"),
      /a merge has two parts/,
    ],
    [
      "scores with a text",
      "t5",
      (json) => change(json, ["model", "vocab", "3"], ["a", "b"]),
      /model\.vocab\[3\]\[1\] must be a number/,
    ],
    ["points beyond its vocabulary", "t5", (json) => change(json, ["model", "unk_id"], 99999), /unk_id is 99999/],
    [
      "has a damaged character map",
      "t5",
      (json) => change(json, ["normalizer", "precompiled_charsmap"], "AAAA"),
      /character map is damaged/,
    ],
    [
      "uses a token that the template does not define",
      "t5",
      (json) => change(json, ["post_processor", "special_tokens"], {}),
      /does not define/,
    ],
    [
      "has a pattern that is none",
      "llama",
      (json) => ({
        ...json,
        pre_tokenizer: { type: "Split", pattern: { Regex: "(a" }, behavior: "Isolated", invert: false },
      }),
      /not closed/,
    ],
    [
      "has brackets that are not closed",
      "llama",
      (json) => ({
        ...json,
        normalizer: { type: "Replace", pattern: { Regex: "a{2,1000000}b{3}|[" }, content: "" },
      }),
      /normalizer\.pattern\.Regex/,
    ],
  ];
  for (const [what, name, spoil, message] of refused) {
    it(`that ${what} is refused with its place`, async () => {
      const error = await errorOf(() => tryOut(spoil(jsonOf(name))));
      expect(error.code).to.equal("VERL_DATA_TOKENIZER_INVALID");
      expect(error.message).to.match(message);
    });
  }

  it("that is nested without end is refused", async () => {
    let step: Json = { type: "Lowercase" };
    for (let i = 0; i < 20_000; i++) step = { type: "Sequence", normalizers: [step] };
    const error = await errorOf(() => tryOut({ ...jsonOf("llama"), normalizer: step }));
    expect(error.message).to.include("nested");
  });
});
