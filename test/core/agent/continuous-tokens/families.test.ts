import { expect } from "chai";
import { TurnEncoder, tokenFamily } from "../../../../core/agent/index.js";
import type { ChatMessage, Tokenizer } from "../../../../core/data/index.js";
import { assistant, bytesTokenizer, call, idsOf, system, thrownBy, tool, user } from "./support.js";

describe("token families", () => {
  it("are chosen by the lower-cased model type", () => {
    const nameOf = (modelType: string | null) => tokenFamily(modelType).family.name;
    expect(["glm4_moe", "GLM4_MOE", "glm_moe_dsa", "glm4v_moe"].map(nameOf)).to.deep.equal(Array(4).fill("glm"));
    expect(["gemma4", "gpt_oss", "deepseek_v4", "minimax_vl_01"].map(nameOf)).to.deep.equal([
      "gemma4",
      "gpt_oss",
      "deepseek_v4",
      "minimax_vl",
    ]);
    const byTemplate = ["qwen2", "qwen3_moe", "qwen3_5", "qwen2_5_vl", "minimax_m2", "deepseek_v3", "llama", "gemma3"];
    expect(byTemplate.map(nameOf)).to.deep.equal(Array(byTemplate.length).fill("template"));
    expect(byTemplate.every((modelType) => tokenFamily(modelType).known)).to.equal(true);
  });

  it("warn once of a model type that they do not know, and go by its template", async () => {
    const warnings: string[] = [];
    const tokenizer = await bytesTokenizer({ template: CHATML, stop: ["<|im_end|>"] });
    const encoder = new TurnEncoder(tokenizer, {
      modelType: "newcomer",
      logger: { warn: (text) => void warnings.push(text) },
    });
    const edit = encoder.append(...toolTurn, idsOf(tokenizer, "x<|im_end|>"));
    expect(edit.kind).to.equal("messages");
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.contain("newcomer").and.to.contain("verl doctor");
    expect(tokenFamily(null)).to.deep.include({ known: true });
  });

  it("can be given instead", async () => {
    const tokenizer = await bytesTokenizer({ template: CHATML, stop: ["<|im_end|>"] });
    const family = { name: "plain", turnEnd: "" };
    const { inserted } = await appendTo("x<|im_end|>", toolTurn, tokenizer, { modelType: "newcomer", family });
    expect(inserted).to.equal("");
  });
});

const CHATML = `{%- for m in messages -%}{{- '<|im_start|>' ~ m.role ~ '\n' ~ m.content ~ '<|im_end|>\n' -}}{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' -}}{%- endif -%}`;

const history: ChatMessage[] = [user("?"), assistant("", { tool_calls: [call("add"), call("sub")] })];
const toolTurn = [history, [...history, tool("1"), tool("2")]] as const;

/** Texts of what is inserted and appended after these sampled texts. */
async function appendTo(
  sampledText: string,
  [previous, updated]: readonly [readonly ChatMessage[], readonly ChatMessage[]],
  tokenizer: Tokenizer,
  options: ConstructorParameters<typeof TurnEncoder>[1],
) {
  const encoder = new TurnEncoder(tokenizer, options);
  const edit = encoder.append(previous, updated, idsOf(tokenizer, sampledText));
  return {
    removed: edit.removedPrefixCount,
    inserted: tokenizer.decode(edit.insertedIds),
    appended: tokenizer.decode(edit.appendedIds),
  };
}

describe("T12: what is added for a tool turn", () => {
  const withDefault = `{%- if messages[0].role != 'system' -%}{{- '<|im_start|>system\nBe kind.<|im_end|>\n' -}}{%- endif -%}${CHATML}`;
  const expected = {
    removed: 0,
    inserted: "\n",
    appended: "<|im_start|>tool\n1<|im_end|>\n<|im_start|>tool\n2<|im_end|>\n<|im_start|>assistant\n",
  };

  it("holds no default system prompt", async () => {
    const tokenizer = await bytesTokenizer({ template: withDefault, stop: ["<|im_end|>"] });
    const prompt = tokenizer.renderChat([user("?")]);
    expect(prompt).to.contain("Be kind.");
    expect(await appendTo("x<|im_end|>", toolTurn, tokenizer, { modelType: "qwen2" })).to.deep.equal(expected);
  });

  it("is not measured with an empty object, which is not rendered as a turn is", async () => {
    const tokenizer = await bytesTokenizer({ template: withDefault, stop: ["<|im_end|>"] });
    const probe = tokenizer.encodeChat([{} as ChatMessage]);
    expect(tokenizer.encodeChat([user("")])).to.have.length(probe.length + "user".length);
  });

  it("holds no made-up system prompt where the template moves it to the last turn", async () => {
    const moving = `{%- for m in messages if m.role != 'system' -%}
{{- '<|im_start|>' + m.role + '\n' -}}
{%- if loop.last and m.role == 'user' and messages[0].role == 'system' -%}{{- messages[0].content + '\n\n' -}}{%- endif -%}
{{- m.content + '<|im_end|>\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' -}}{%- endif -%}`;
    const tokenizer = await bytesTokenizer({ template: moving, stop: ["<|im_end|>"] });
    const previous = [system("Count."), user("?"), assistant("x")];
    const { appended } = await appendTo("x<|im_end|>", [previous, [...previous, user("!")]], tokenizer, {});
    expect(appended).to.equal("<|im_start|>user\n!<|im_end|>\n<|im_start|>assistant\n");
  });
});

describe("family glm", () => {
  const template = `{{- '[gMASK]<sop>' -}}{%- for m in messages -%}
{%- if m.role == 'tool' -%}
  {%- if loop.first or messages[loop.index0 - 1].role != 'tool' -%}{{- '<|observation|>' -}}{%- endif -%}
  {{- '\n' + m.content -}}
{%- else -%}{{- '<|' + m.role + '|>' + m.content -}}{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|assistant|>' -}}{%- endif -%}`;
  const options = { modelType: "glm4_moe" };
  let tokenizer: Tokenizer;
  before(async () => {
    const special = ["<|observation|>", "<|user|>", "<|assistant|>", "<|system|>", "[gMASK]", "<sop>"];
    tokenizer = await bytesTokenizer({ template, special, stop: ["<|endoftext|>", "<|user|>", "<|observation|>"] });
  });

  it("keeps the sampled token that begins the next turn, so that it is trained", async () => {
    expect(await appendTo("call<|observation|>", toolTurn, tokenizer, options)).to.deep.equal({
      removed: 0,
      inserted: "",
      appended: "\n1\n2<|assistant|>",
    });
  });

  it("removes it where another turn begins", async () => {
    expect(await appendTo("call<|user|>", toolTurn, tokenizer, options)).to.deep.equal({
      removed: 1,
      inserted: "",
      appended: "<|observation|>\n1\n2<|assistant|>",
    });
  });

  it("appends to any other end", async () => {
    const { removed, appended } = await appendTo("call<|endoftext|>", toolTurn, tokenizer, options);
    expect([removed, appended]).to.deep.equal([0, "<|observation|>\n1\n2<|assistant|>"]);
  });
});

describe("family gpt_oss", () => {
  const template = `{%- for m in messages -%}
{{- '<|start|>' + m.role + '<|message|>' + (m.content|tojson if m.role == 'tool' else m.content) + '<|end|>' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|start|>assistant' -}}{%- endif -%}`;
  const options = { modelType: "gpt_oss" };
  const result = (name: string, text: string) =>
    `<|start|>functions.${name} to=assistant<|channel|>commentary<|message|>${text}<|end|>`;
  let tokenizer: Tokenizer;
  before(async () => {
    tokenizer = await bytesTokenizer({ template, special: ["<|channel|>"], stop: ["<|return|>", "<|call|>"] });
  });

  it("writes tool results as harmony does, by the names of their calls in order, their text as it is", async () => {
    const updated = [...history, tool('say "1"'), tool("2")];
    expect(await appendTo("x<|call|>", [history, updated], tokenizer, options)).to.deep.equal({
      removed: 0,
      inserted: "",
      appended: `${result("add", 'say "1"')}${result("sub", "2")}<|start|>assistant`,
    });
  });

  it("prefers the message's own name, then that of the call with its id", async () => {
    const previous = [user("?"), assistant("", { tool_calls: [call("add", "{}", "a"), call("sub", "{}", "b")] })];
    const updated = [...previous, tool("2", { tool_call_id: "b" }), tool("1", { tool_call_id: "b", name: "own" })];
    const { appended } = await appendTo("x<|call|>", [previous, updated], tokenizer, options);
    expect(appended).to.equal(`${result("sub", "2")}${result("own", "1")}<|start|>assistant`);
  });

  it("refuses a result that nothing names", () => {
    const updated = [...history, tool("1")];
    const error = thrownBy(() => new TurnEncoder(tokenizer, options).append(history, updated, [1]));
    expect(error.code).to.equal("VERL_AGENT_TOOL_NAME");
    expect(error.message).to.contain("tool result 0 of 1");
  });

  it("appends a user's message to the sampled end as it is", async () => {
    const previous = [user("?"), assistant("x")];
    expect(await appendTo("x<|return|>", [previous, [...previous, user("!")]], tokenizer, options)).to.deep.equal({
      removed: 0,
      inserted: "",
      appended: "<|start|>user<|message|>!<|end|><|start|>assistant",
    });
  });
});

describe("family gemma4", () => {
  // Results stand in the model's turn, found by the ids of their calls.
  const template = `{{- bos_token -}}{%- set ns = namespace(last='') -%}{%- for m in messages if m.role != 'tool' -%}
{%- if not (ns.last == 'results' and m.role == 'assistant') -%}{{- '<|turn>' + m.role + '\n' -}}{%- endif -%}
{%- set ns.last = m.role -%}
{%- for c in m.tool_calls or [] -%}{{- '<|tool_call>call:' + c.function.name + '{}<tool_call|>' -}}{%- endfor -%}
{%- if m.tool_calls -%}
  {%- set ns.last = 'calls' -%}
  {%- for t in messages if t.role == 'tool' -%}
    {%- for c in m.tool_calls if c.id == t.tool_call_id -%}
      {{- '<|tool_response>response:' + c.function.name + '{value:' + t.content + '}<tool_response|>' -}}
      {%- set ns.last = 'results' -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- if ns.last == 'calls' -%}{{- '<|tool_response>' -}}{%- endif -%}
{%- else -%}{{- m.content + '<turn|>\n' -}}{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|turn>assistant\n' -}}{%- endif -%}`;
  const options = { modelType: "gemma4" };
  const responses = "response:add{value:1}<tool_response|><|tool_response>response:sub{value:2}<tool_response|>";
  let tokenizer: Tokenizer;
  before(async () => {
    const special = ["<|turn>", "<|tool_call>", "<tool_call|>", "<|tool_response>", "<tool_response|>"];
    tokenizer = await bytesTokenizer({ template, special, stop: ["<turn|>", "<tool_call|>"] });
  });

  it("inserts the token before a tool run, and lets the model go on in its turn", async () => {
    expect(await appendTo("<|tool_call>call:add{}<tool_call|>", toolTurn, tokenizer, options)).to.deep.equal({
      removed: 0,
      inserted: "<|tool_response>",
      appended: responses,
    });
  });

  it("does not insert it twice", async () => {
    const { inserted, appended } = await appendTo("<tool_call|><|tool_response>", toolTurn, tokenizer, options);
    expect([inserted, appended]).to.deep.equal(["", responses]);
  });

  it("closes the turn before a user's, with the line feed that the template writes", async () => {
    const previous = [user("?"), assistant("x")];
    expect(await appendTo("x<turn|>", [previous, [...previous, user("!")]], tokenizer, options)).to.deep.equal({
      removed: 0,
      inserted: "\n",
      appended: "<|turn>user\n!<turn|>\n<|turn>assistant\n",
    });
  });

  it("refuses a result that nothing names", () => {
    const updated = [...history, tool("1")];
    expect(thrownBy(() => new TurnEncoder(tokenizer, options).append(history, updated, [1])).code).to.equal(
      "VERL_AGENT_TOOL_NAME",
    );
  });
});

describe("templates that write something after every conversation", () => {
  it("of minimax_vl: the assistant's header is the generation prompt, and stands there once", async () => {
    const template = `{%- for m in messages -%}
{{- '<beginning_of_sentence>' + ('ai name=assistant' if m.role == 'assistant' else m.role) + '\n' + m.content + '<end_of_sentence>\n' -}}
{%- endfor -%}{{- '<beginning_of_sentence>ai name=assistant\n' -}}`;
    const special = ["<beginning_of_sentence>", "<end_of_sentence>"];
    const tokenizer = await bytesTokenizer({ template, special, stop: ["<end_of_sentence>"] });
    const previous = [user("?"), assistant("x")];
    const options = { modelType: "minimax_vl_01" };
    const turn = [previous, [...previous, user("!")]] as const;
    expect(await appendTo("x<end_of_sentence>", turn, tokenizer, options)).to.deep.equal({
      removed: 0,
      inserted: "\n",
      appended: "<beginning_of_sentence>user\n!<end_of_sentence>\n<beginning_of_sentence>ai name=assistant\n",
    });
  });

  it("and without generation prompt the end token: it is no part of the turns", async () => {
    const template = `${CHATML}{%- if not add_generation_prompt -%}{{- '<EOS>' -}}{%- endif -%}`;
    const tokenizer = await bytesTokenizer({ template, stop: ["<EOS>", "<|im_end|>"] });
    const previous = [user("?"), assistant("x")];
    expect(await appendTo("x<|im_end|>", [previous, [...previous, user("!")]], tokenizer, {})).to.deep.equal({
      removed: 0,
      inserted: "\n",
      appended: "<|im_start|>user\n!<|im_end|>\n<|im_start|>assistant\n",
    });
  });
});

describe("malformed arguments in the history", () => {
  it("do not stop the next turn, though the template cannot write them", async () => {
    const template = `{%- for m in messages -%}{{- '<|im_start|>' + m.role + '\n' -}}
{%- for c in m.tool_calls or [] -%}{%- for k, v in c.function.arguments|items -%}{{- k ~ '=' ~ v -}}{%- endfor -%}{%- endfor -%}
{{- m.content + '<|im_end|>\n' -}}{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' -}}{%- endif -%}`;
    const tokenizer = await bytesTokenizer({ template, stop: ["<|im_end|>"] });
    const previous = [user("?"), assistant("", { tool_calls: [call("ls", '{"cmd": "ls" "x"}')] })];
    const updated = [...previous, tool("the arguments are no JSON")];
    const { appended } = await appendTo("x<|im_end|>", [previous, updated], tokenizer, {});
    expect(appended).to.equal("<|im_start|>tool\nthe arguments are no JSON<|im_end|>\n<|im_start|>assistant\n");
  });
});
