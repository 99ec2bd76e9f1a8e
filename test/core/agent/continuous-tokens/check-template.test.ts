import { readFileSync } from "node:fs";
import { expect } from "chai";
import { checkTemplate, type ShapeCheck, type TemplateCheck } from "../../../../core/agent/index.js";
import { bytesTokenizer, caseTemplates, GPT2_WORDS, thrownBy } from "./support.js";

const shape = ({ shapes }: TemplateCheck, name: string) => shapes.find((found) => found.name === name) as ShapeCheck;

describe("checkTemplate", () => {
  it("names the first token at which a template changes the history, and what that means for training", async () => {
    const tokenizer = await bytesTokenizer({
      template: caseTemplates.get("qwen_like") as string,
      stop: ["<|im_end|>"],
    });
    const check = checkTemplate(tokenizer, { modelType: "qwen3" });
    expect([check.appendOnly, check.family]).to.deep.equal([false, "template"]);
    const { status, difference, meaning } = shape(check, "reasoning, then a user turn");
    expect(status).to.equal("rewritten");
    expect(difference?.before.endsWith("<|im_start|>assistant\n")).to.equal(true);
    expect([difference?.seen, difference?.rendered]).to.deep.equal(["<", "A"]);
    const prompt = tokenizer.encodeChat([{ role: "user", content: "What is a fjord?" }], { addGenerationPrompt: true });
    expect(difference?.position).to.equal(prompt.length);
    expect(meaning).to.contain("one sample");
  });

  it("finds a history that keeps its reasoning append-only", async () => {
    const tokenizer = await bytesTokenizer({
      template: readFileSync("test/fixtures/data/chat-templates/qwen2.5.jinja", "utf8"),
      stop: ["<|im_end|>"],
    });
    const { appendOnly, shapes } = checkTemplate(tokenizer, { modelType: "qwen2" });
    expect(appendOnly).to.equal(true);
    expect(shapes.map(({ difference }) => difference)).to.deep.equal(Array(shapes.length).fill(undefined));
  });

  it("tells text that is tokenized differently from text that is written differently", async () => {
    const tokenizer = await bytesTokenizer({
      template: caseTemplates.get("llama_like") as string,
      special: ["<|header|>", "<|/header|>"],
      stop: ["<|eot|>"],
      words: GPT2_WORDS,
    });
    const { status, difference } = shape(checkTemplate(tokenizer, { modelType: "llama" }), "several user turns");
    expect(status).to.equal("retokenized");
    expect([difference?.seen, difference?.rendered]).to.deep.equal(["\n\n", "\n"]);
  });

  it("says where a new sample begins", async () => {
    const tokenizer = await bytesTokenizer({
      template: caseTemplates.get("deepseek_like") as string,
      stop: ["<｜end｜>"],
    });
    const { status, difference, meaning } = shape(checkTemplate(tokenizer), "a later system message");
    expect(status).to.equal("split");
    expect(difference?.before).to.equal("<BOS>");
    expect(meaning).to.contain("a new sample begins");
  });

  it("gives a template's own words where it refuses", async () => {
    const tokenizer = await bytesTokenizer({ template: caseTemplates.get("strict_turns") as string, stop: ["<EOS>"] });
    const { status, meaning } = shape(checkTemplate(tokenizer), "tool call");
    expect(status).to.equal("refused");
    expect(meaning).to.contain("turns must go user, assistant, user");
  });

  it("does not call a template append-only that leaves messages out", async () => {
    const tokenizer = await bytesTokenizer({ template: "{{ messages[0].content }}" });
    const { status, meaning } = shape(checkTemplate(tokenizer), "several user turns");
    expect([status, meaning]).to.deep.equal(["refused", "the template leaves user messages out"]);
  });

  it("uses the variables of a run", async () => {
    const template = `{%- for m in messages -%}
{{- '<|im_start|>' + m.role + '\n' + (m.reasoning_content if keep and m.reasoning_content else '') + m.content + '<|im_end|>\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' + ('' if keep else '<think>') -}}{%- endif -%}`;
    const tokenizer = await bytesTokenizer({ template, stop: ["<|im_end|>"] });
    expect(checkTemplate(tokenizer, { kwargs: { keep: true } }).appendOnly).to.equal(true);
    const { difference } = shape(checkTemplate(tokenizer), "several user turns");
    expect([difference?.seen, difference?.rendered]).to.deep.equal(["<", "A"]);
  });

  it("needs a template", async () => {
    const tokenizer = await bytesTokenizer({ template: null });
    expect(thrownBy(() => checkTemplate(tokenizer)).code).to.equal("VERL_DATA_CHAT_TEMPLATE_MISSING");
    expect(checkTemplate(await bytesTokenizer({ template: null }), { modelType: "deepseek_v4" }).appendOnly).to.equal(
      true,
    );
  });
});
