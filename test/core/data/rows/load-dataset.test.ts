import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import type { DatasetConfig, DatasetOptions, Row } from "../../../../core/data/index.js";
import { rlhfDatasetFactory } from "../../../../core/data/index.js";
import { codedRejection, rejection } from "../support.js";
import { wordTokenizer } from "../word-tokenizer.js";

const fixtures = fileURLToPath(new URL("../../../../../test/fixtures/", import.meta.url));

const defaults: DatasetConfig = {
  promptKey: "prompt",
  maxPromptLength: 512,
  filterOverlongPrompts: false,
  maxSamples: -1,
  shuffle: false,
  seed: 1,
  applyChatTemplateKwargs: {},
};

describe("core/data/rows/load-dataset", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "verl-data-"));
  });
  after(() => rm(folder, { recursive: true }));

  async function write(name: string, content: string | Uint8Array): Promise<string> {
    const file = path.join(folder, name);
    await writeFile(file, content);
    return file;
  }
  const lines = (name: string, rows: readonly unknown[]) =>
    write(name, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const load = (files: readonly string[], config: Partial<DatasetConfig> = {}, more: Partial<DatasetOptions> = {}) =>
    rlhfDatasetFactory.create({
      files,
      tokenizer: wordTokenizer(),
      config: { ...defaults, ...config },
      split: "train",
      ...more,
    });
  const row = (n: number, words = 1) => ({ prompt: Array(words).fill(`w${n}`).join(" "), data_source: "toy", n });

  describe("rows", () => {
    it("joins files of all formats in the order given, columns unchanged, each row with its place", async () => {
      const jsonl = await lines("a.jsonl", [row(0), { ...row(1), extra_info: { deep: [1, { x: null }] } }]);
      const json = await write("b.json", JSON.stringify([row(2)], null, 2));
      const parquet = path.join(fixtures, "data/nested-zstd.parquet");
      const data = await load([jsonl, json, parquet]);
      expect(data.length).to.equal(7);
      expect([0, 1, 2, 3].map((i) => data.at(i).origin)).to.deep.equal([
        `${jsonl}:1`,
        `${jsonl}:2`,
        `${json}#0`,
        `${parquet}#0`,
      ]);
      expect(data.at(1).row).to.deep.equal({ ...row(1), extra_info: { deep: [1, { x: null }] } });
      expect(data.at(0).messages).to.deep.equal([{ role: "user", content: "w0" }]);
      expect(data.report).to.deep.include({ files: [jsonl, json, parquet], rows: 7, overlong: 0 });
      expect(() => data.at(7)).to.throw(RangeError);
    });

    it("reads .json files that hold one object a line, blank lines, CRLF, a byte order mark and U+2028 in texts", async () => {
      const text = `\uFEFF${JSON.stringify(row(0))}\r\n\r\n{"prompt": "a\u2028b", "data_source": "toy"}`;
      const data = await load([await write("c.json", text)]);
      expect(data.length).to.equal(2);
      expect(data.at(1).messages[0].content).to.equal("a\u2028b");
      expect(data.at(1).origin).to.match(/c\.json:3$/);
    });

    it("keeps messages as they are", async () => {
      const prompt = [
        { role: "system", content: "s" },
        { role: "user", content: [{ type: "text", text: "t" }, { type: "image" }], name: "n" },
        { role: "assistant", tool_calls: [{ id: "1" }] },
      ];
      const data = await load([await lines("m.jsonl", [{ prompt, data_source: "toy" }])]);
      expect(data.at(0).messages).to.deep.equal([prompt[0], prompt[1], { ...prompt[2], content: null }]);
    });

    it("keeps whole numbers exact that a float64 cannot hold", async () => {
      const text =
        '{"prompt": "p 12345678901234567890", "data_source": "toy", "big": 12345678901234567890, "list": [-9007199254740993, 1234567890.1234567], "n": 9007199254740991}';
      const data = await load([await write("big.jsonl", text)]);
      const { big, list, n } = data.at(0).row;
      expect({ big, list, n }).to.deep.equal({
        big: "12345678901234567890",
        list: ["-9007199254740993", 1234567890.1234567],
        n: 9007199254740991,
      });
      expect(data.at(0).messages[0].content).to.equal("p 12345678901234567890");
    });

    for (const codec of ["zstd", "snappy"]) {
      it(`reads nested Parquet columns written by pyarrow (${codec})`, async () => {
        const data = await load([path.join(fixtures, `data/nested-${codec}.parquet`)]);
        expect(data.at(2).messages).to.deep.equal([
          { role: "system", content: "Be brief." },
          { role: "user", content: "What is 2 + 2? é" },
        ]);
        expect(data.at(2).row).to.deep.equal({
          data_source: "openai/gsm8k",
          prompt: data.at(2).messages,
          ability: "math",
          reward_model: { style: "rule", ground_truth: "4" },
          extra_info: { split: "train", index: 2, tags: ["a", "b"], question: null },
          small: 2,
          large: "1152921504606846978",
          weight: 1,
          flag: true,
          scores: [0, 0.1],
          blob: "Av8=",
          when: "2024-01-02T03:04:05.000Z",
          price: 1.25,
        });
        expect(data.at(3).row.extra_info).to.deep.include({ index: 3, tags: [] });
      });
    }
  });

  describe("choice of rows", () => {
    const numbers = async (config: Partial<DatasetConfig>) => {
      const file = await lines(
        "ten.jsonl",
        Array.from({ length: 10 }, (_, n) => row(n)),
      );
      const data = await load([file], config);
      return Array.from({ length: data.length }, (_, i) => data.at(i).row.n);
    };

    it("takes the first rows, all of them for -1 or when there are fewer", async () => {
      expect(await numbers({ maxSamples: 3 })).to.deep.equal([0, 1, 2]);
      expect(await numbers({ maxSamples: -1 })).to.have.length(10);
      expect(await numbers({ maxSamples: 11 })).to.have.length(10);
    });

    it("takes random rows by the seed when shuffled, none twice", async () => {
      const chosen = await numbers({ maxSamples: 5, shuffle: true });
      expect(new Set(chosen).size).to.equal(5);
      expect(await numbers({ maxSamples: 5, shuffle: true })).to.deep.equal(chosen);
      expect(await numbers({ maxSamples: 5, shuffle: true, seed: 2 })).to.not.deep.equal(chosen);
    });
  });

  describe("prompt length", () => {
    // The template adds two words to the content: the role and the generation prompt.
    const files = async () => [await lines("long.jsonl", [row(0, 6), row(1, 7), row(2, 2)])];

    it("leaves out prompts that are longer than the limit as sent, and counts them", async () => {
      const data = await load(await files(), { maxPromptLength: 8, filterOverlongPrompts: true });
      expect([0, 1].map((i) => data.at(i).row.n)).to.deep.equal([0, 2]);
      expect(data.report).to.deep.include({ rows: 3, overlong: 1, longestPrompt: 8 });
    });

    it("counts the tools that are sent with a row: none, some or all of them", async () => {
      const tools = [{ words: "a b c d" }, { words: "e f g h" }];
      const rows = ["none", "one", "all"].map((sent) => ({ ...row(0, 6), sent }));
      const file = [await lines("row-tools.jsonl", rows)];
      const toolsOf = ({ sent }: Row) => tools.slice(0, { none: 0, one: 1, all: 2 }[sent as "none"]);
      for (const [limit, left] of [
        [8, ["none"]],
        [13, ["none", "one"]],
        [18, ["none", "one", "all"]],
      ] as const) {
        const dataset = await load(file, { maxPromptLength: limit, filterOverlongPrompts: true }, { tools, toolsOf });
        expect(Array.from({ length: dataset.length }, (_, i) => dataset.at(i).row.sent)).to.deep.equal(left);
        expect(dataset.report.longestPrompt).to.equal(limit);
      }
    });

    it("T26: counts the tools that are sent: 8 tokens without, 20 with, limit 16", async () => {
      const tools = [{ words: "a b c d e f g h i j k" }];
      const one = [await lines("tools.jsonl", [row(0, 6), row(1, 1)])];
      const config = { maxPromptLength: 16, filterOverlongPrompts: true };
      expect((await load(one, config)).report.overlong).to.equal(0);
      expect((await load(one, config, { tools })).report).to.deep.include({ overlong: 1, longestPrompt: 15 });
    });

    it("counts what the template's variables add", async () => {
      const config = { maxPromptLength: 8, filterOverlongPrompts: true, applyChatTemplateKwargs: { thinking: true } };
      expect((await load(await files(), config)).report.overlong).to.equal(2);
    });

    it("names rows that are too long when they are not left out", async () => {
      const error = await codedRejection("VERL_DATA_PROMPT_TOO_LONG", load(await files(), { maxPromptLength: 7 }));
      expect(error.what).to.include("2 of 3 prompts").and.include("max_prompt_length = 7");
      expect(error.where).to.match(/long\.jsonl:1 has 8 tokens\s+.*long\.jsonl:2 has 9 tokens/);
    });

    it("leaves long prompts to the sender when they are to be cut", async () => {
      const data = await load(await files(), { maxPromptLength: 4, truncation: "left" });
      expect(data.length).to.equal(3);
    });

    it("refuses a data set of which nothing is left", async () => {
      const config = { maxPromptLength: 2, filterOverlongPrompts: true };
      const error = await codedRejection("VERL_DATA_EMPTY", load(await files(), config));
      expect(error.why).to.include("all 3 prompts are longer");
    });

    it("names the row that the template cannot render", async () => {
      const file = await lines("t.jsonl", [row(0), { ...row(1), prompt: [{ role: "forbidden", content: "x" }] }]);
      const error = await codedRejection("VERL_DATA_TEMPLATE", load([file]));
      expect(error.where).to.equal(`${file}:2`);
      expect(error.why).to.include("unknown role");
    });

    it("stops when it is aborted", async () => {
      const reason = new Error("enough");
      const loading = load(await files(), {}, { signal: AbortSignal.abort(reason) });
      expect(await rejection(loading)).to.equal(reason);
    });
  });

  describe("bad data", () => {
    it("names every row that is no JSON object by file and line", async () => {
      const file = await write(
        "bad.jsonl",
        `${JSON.stringify(row(0))}\n{"prompt": \n[1]\n"text"\n${JSON.stringify(row(1))}`,
      );
      const error = await codedRejection("VERL_DATA_BAD_ROW", load([file]));
      expect(error.what).to.equal("3 rows cannot be used");
      expect(error.where).to.match(/bad\.jsonl:2 is not JSON/);
      expect(error.where).to.match(/bad\.jsonl:3 is a list, not an object/);
      expect(error.where).to.match(/bad\.jsonl:4 is "text", not an object/);
      expect(error.data).to.deep.equal({ rows: [2, 3, 4].map((line) => `${file}:${line}`) });
    });

    it("shows the first few of many bad rows", async () => {
      const file = await write("many.jsonl", "x\n".repeat(20));
      const error = await codedRejection("VERL_DATA_BAD_ROW", load([file]));
      expect(error.where).to.include("… and 15 more");
    });

    it("refuses text that is not UTF-8", async () => {
      const file = await write("latin1.jsonl", Buffer.from('{"prompt": "caf\xe9"}', "latin1"));
      const error = await codedRejection("VERL_DATA_BAD_ROW", load([file]));
      expect(error.where).to.match(/latin1\.jsonl:1/);
    });

    for (const [what, prompt, message] of [
      ["no messages", [], "has no messages in column prompt"],
      ["an empty text", "", "has an empty text in column prompt"],
      ["nothing", null, "has nothing in column prompt"],
      ["a number", 7, "has the number 7 in column prompt"],
      ["a message that is a text", ["hi"], 'has a message prompt[0] that is the string "hi"'],
      ["a message without role", [{ content: "hi" }], "has a message prompt[0] whose role is nothing"],
      ["a message without content", [{ role: "user" }], "has a message prompt[0] without content"],
      [
        "content of a wrong type",
        [{ role: "user", content: 3 }],
        "has a message prompt[0] whose content is the number 3",
      ],
      [
        "a part without type",
        [{ role: "user", content: [{ text: "x" }] }],
        "has a message prompt[0] whose content[0] is no part with a type",
      ],
    ] as const) {
      it(`names a row whose prompt is ${what}`, async () => {
        const file = await lines("p.jsonl", [row(0), { prompt, data_source: "toy" }]);
        const error = await codedRejection("VERL_DATA_BAD_ROW", load([file]));
        expect(error.where).to.include(`${file}:2 ${message}`);
      });
    }

    it("names the nearest column when the prompt column is missing", async () => {
      const file = await lines("q.jsonl", [{ prompts: "x", data_source: "toy" }]);
      const error = await codedRejection("VERL_DATA_NO_PROMPT_COLUMN", load([file]));
      expect(error.what).to.include('Did you mean "prompts"?');
      expect(error.where).to.equal(`${file}:1`);
    });

    // T24
    it("names the first row without a data source where one is needed", async () => {
      const file = await lines("s.jsonl", [
        row(0),
        { prompt: "x", datasource: "toy" },
        { prompt: "y", data_source: "" },
      ]);
      const error = await codedRejection("VERL_DATA_NO_SOURCE", load([file], { rewardFnKey: "data_source" }));
      expect(error.what).to.include("2 of 3 rows").and.include("data_source").and.include("datasource");
      expect(error.where).to.equal(`${file}:2 is the first`);
      expect(error.fix).to.include("custom_reward_function");
      expect((await load([file])).length).to.equal(3);
    });

    it("refuses files that are missing, of another format, or not what their name says", async () => {
      await codedRejection("VERL_DATA_FILE_NOT_FOUND", load([path.join(folder, "none.jsonl")]));
      await codedRejection("VERL_DATA_FILE_NOT_FOUND", load([path.join(folder, "none.parquet")]));
      const format = await codedRejection("VERL_DATA_FORMAT", load([await write("a.csv", "")]));
      expect(format.what).to.include(".jsonl, .json, .parquet");
      await codedRejection("VERL_DATA_FORMAT", load([await write("no.parquet", "this is no parquet")]));
    });

    it("says of a file beyond 2 GiB, as media in it make one, to split it", async () => {
      const file = await write("large.jsonl", "");
      await truncate(file, 2 ** 31 + 1);
      const error = await codedRejection("VERL_DATA_FORMAT", load([file]));
      expect(error.where).to.equal(file);
      expect(error.fix).to.include("Split it").and.include("files beside it");
    });

    it("refuses data without rows", async () => {
      await codedRejection("VERL_DATA_EMPTY", load([await write("empty.jsonl", "\n")]));
      const error = await codedRejection("VERL_DATA_EMPTY", load([]));
      expect(error.where).to.equal("data.train_files");
    });
  });
});
