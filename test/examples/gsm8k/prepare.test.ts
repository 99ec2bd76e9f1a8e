import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { rlhfDatasetFactory } from "../../../core/data/index.js";
import { gsm8kRow, INSTRUCTION, prepareGsm8k } from "../../../examples/gsm8k/prepare.js";
import { wordTokenizer } from "../../core/data/word-tokenizer.js";

const source = fileURLToPath(new URL("../../../../test/fixtures/gsm8k/", import.meta.url));

describe("examples/gsm8k/prepare", () => {
  let out = "";
  before(async () => {
    out = await mkdtemp(path.join(os.tmpdir(), "verl-gsm8k-"));
  });
  after(() => rm(out, { recursive: true }));

  it("writes rows that load as a data set", async () => {
    expect(await prepareGsm8k(source, out)).to.deep.equal({ train: 12, test: 8 });
    const data = await rlhfDatasetFactory.create({
      files: [path.join(out, "train.jsonl")],
      tokenizer: wordTokenizer(),
      split: "train",
      config: {
        promptKey: "prompt",
        maxPromptLength: 512,
        filterOverlongPrompts: false,
        maxSamples: -1,
        shuffle: false,
        seed: null,
        applyChatTemplateKwargs: {},
        rewardFnKey: "data_source",
      },
    });
    const [original] = (await readFile(path.join(source, "train.jsonl"), "utf8")).split("\n");
    const { question, answer } = JSON.parse(original);
    expect(data.length).to.equal(12);
    expect(data.at(0).row).to.deep.equal({
      data_source: "openai/gsm8k",
      prompt: [{ role: "user", content: `${question} ${INSTRUCTION}` }],
      ability: "math",
      reward_model: { style: "rule", ground_truth: "72" },
      extra_info: { split: "train", index: 0, answer, question },
    });
  });

  it("takes the number after the mark, signs kept and separators dropped", () => {
    const truth = (answer: string) => gsm8kRow({ question: "?", answer }, "test", 0).reward_model.ground_truth;
    expect(truth("so\n#### 1,234,567")).to.equal("1234567");
    expect(truth("#### -5")).to.equal("-5");
    expect(truth("#### 0.5")).to.equal("0.5");
  });

  it("names the row that has no answer", async () => {
    const folder = await mkdtemp(path.join(out, "bad-"));
    await writeFile(
      path.join(folder, "train.jsonl"),
      '{"question": "a", "answer": "#### 1"}\n{"question": "b", "answer": "?"}\n',
    );
    const message = await prepareGsm8k(folder, out).then(
      () => "",
      (error: Error) => error.message,
    );
    expect(message).to.match(/train\.jsonl, row 2: the answer has no line/);
  });
});
