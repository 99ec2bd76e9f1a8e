import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { ChatTemplate, readDataFiles, rlhfDatasetFactory } from "../../../core/data/index.js";
import { wordTokenizer } from "../../core/data/word-tokenizer.js";
import { type FuzzReader, type Input, textOf } from "../fuzz-reader.js";
import { withOddMember } from "./odd-json.js";
import { nested, soup } from "./soup.js";

const ROW = {
  prompt: [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "2+2?" }] },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "1", type: "function", function: { name: "add", arguments: "{}" } }],
    },
    { role: "tool", content: "4", tool_call_id: "1" },
  ],
  data_source: "toy",
  reward_model: { style: "rule", ground_truth: "4" },
  extra_info: { index: 1, split: "train" },
};
const line = (row: unknown): string => JSON.stringify(row) ?? "null";

const WORDS = [
  "\n",
  "\r\n",
  '"prompt":',
  '"role":',
  '"content":',
  "[",
  "]",
  "{",
  "}",
  ",",
  ":",
  '"',
  "\\",
  "null",
  "12345678901234567890",
  "\ufeff",
  "\u2028",
  "{}\n",
];

const hostileLines: Readonly<Record<string, () => Input>> = {
  "100,000 lines that are no rows": () => "x\n".repeat(100_000),
  "80,000 empty rows": () => "{}\n".repeat(80_000),
  "200,000 blank lines": () => "\n".repeat(200_000),
  "deep JSON": () => nested("[", "]", 100_000),
  "a deep row": () => `{"prompt":${nested("[", "]", 100_000)}}`,
  "a deep message": () => `{"prompt":[{"role":"user","content":[{"type":"x","a":${nested("[", "]", 100_000)}}]}]}`,
  "a long text beside a large number": () => `{"prompt":"${"x ".repeat(100_000)}","n":12345678901234567890}`,
  "a long text of escapes beside a large number": () =>
    `{"prompt":"${'\\"'.repeat(100_000)}","n":12345678901234567890}`,
  "quotes without end beside a large number": () => `1234567890123456${'"'.repeat(100_001)}`,
  "many large numbers": () => `{"n":[${"12345678901234567890,".repeat(10_000)}1]}`,
  "a number of 200,000 digits": () => `{"n":${"9".repeat(200_000)}}`,
  "a column of 100,000 letters": () => `{"${"p".repeat(100_000)}":1}`,
  "20,000 columns": () => line(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`prompt${i}`, 1]))),
  "a role of 100,000 letters": () => line({ prompt: [{ role: 5, content: "x".repeat(100_000) }] }),
  "a prompt that is a number of many digits": () => `{"prompt":${"9".repeat(10_000)}.5}`,
};

/** Rows of a JSON Lines file. */
export const jsonl: FuzzReader = {
  name: "jsonl",
  seeds: () => [
    `${line(ROW)}\n${line({ prompt: "2+2?", data_source: "toy", n: 1 })}\n`,
    `\ufeff${line(ROW)}\r\n\r\n{"prompt": "a", "n": 12345678901234567890}`,
  ],
  words: WORDS,
  generated: fc.oneof(withOddMember(ROW).map(line), fc.jsonValue().map(line), soup(WORDS)),
  hostile: hostileLines,
  read(input, folder) {
    const file = path.join(folder, "rows.jsonl");
    writeFileSync(file, input);
    return readDataFiles([file], { split: "train", namedBy: "the fuzzer" });
  },
};

/** Rows of a `.json` file: a list, or one object a line. */
export const jsonRows: FuzzReader = {
  name: "json-rows",
  seeds: () => [`[${line(ROW)}, ${line(ROW)}]`, `\ufeff \n[{"n": 12345678901234567890}]`, `${line(ROW)}\n`],
  words: WORDS,
  generated: fc.oneof(
    fc
      .array(
        withOddMember(ROW).map((row) => line(row)),
        { maxLength: 3 },
      )
      .map((rows) => `[${rows.join()}]`),
    soup(WORDS),
  ),
  hostile: Object.fromEntries(Object.entries(hostileLines).map(([name, make]) => [name, () => `[${make()}]`])),
  read(input, folder) {
    const file = path.join(folder, "rows.json");
    writeFileSync(file, input);
    return readDataFiles([file], { split: "train", namedBy: "the fuzzer" });
  },
};

/** Rows as prompts: their messages checked, rendered and measured. */
export const dataset: FuzzReader = {
  name: "dataset",
  seeds: () => [`${line(ROW)}\n${line({ prompt: "2+2?", data_source: "toy" })}\n`],
  words: WORDS,
  generated: fc
    .oneof(
      withOddMember(ROW),
      fc.jsonValue().map((prompt) => ({ prompt, data_source: "toy" })),
    )
    .map((row) => line(row)),
  hostile: hostileLines,
  async read(input, folder) {
    const file = path.join(folder, "rows.jsonl");
    writeFileSync(file, input);
    const template = new ChatTemplate(
      "{% for m in messages %}{{ m.role }}: {{ m.content if m.content is string else m|tojson }}{% endfor %}",
    );
    const tokenizer = { ...wordTokenizer(), encodeChat: (messages: unknown) => [template.render({ messages }).length] };
    const data = await rlhfDatasetFactory.create({
      files: [file],
      tokenizer,
      split: "train",
      config: {
        promptKey: "prompt",
        rewardFnKey: "data_source",
        maxPromptLength: 1000,
        filterOverlongPrompts: textOf(input).length % 2 === 0,
        maxSamples: -1,
        shuffle: false,
        seed: 1,
        applyChatTemplateKwargs: {},
      },
    });
    return data.at(0);
  },
};
