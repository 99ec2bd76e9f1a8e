import { expect } from "chai";
import { ContinuousTokenBuilder, TurnEncoder, type TurnEncoderOptions } from "../../../../core/agent/index.js";
import type { ChatMessage, Tokenizer } from "../../../../core/data/index.js";
import { assistant, bytesTokenizer, call, sampled, system, thrownBy, tool, user } from "./support.js";

const BOS = "<｜begin▁of▁sentence｜>";
const EOS = "<｜end▁of▁sentence｜>";
const TOOL = { type: "function", function: { name: "lookup", parameters: { type: "object" } } };

describe("DeepSeek-V4's encoding", () => {
  let tokenizer: Tokenizer;
  before(async () => {
    const special = [BOS, "<｜User｜>", "<｜Assistant｜>", "<think>", "</think>", "｜DSML｜"];
    tokenizer = await bytesTokenizer({ template: null, special, stop: [EOS] });
  });
  const encoder = (options: TurnEncoderOptions = {}) =>
    new TurnEncoder(tokenizer, { modelType: "deepseek_v4", ...options });
  const write = (messages: readonly ChatMessage[], options?: TurnEncoderOptions, prompt = true) =>
    encoder(options).render(messages, prompt);

  it("writes turns, without thought by default", () => {
    expect(write([system("Be brief."), user("hi"), assistant("yes"), user("so?")])).to.equal(
      `${BOS}Be brief.<｜User｜>hi<｜Assistant｜></think>yes${EOS}<｜User｜>so?<｜Assistant｜></think>`,
    );
  });

  it("drops the reasoning of earlier turns", () => {
    const messages = [user("hi"), assistant("yes", { reasoning_content: "hm" }), user("so?")];
    const kwargs = { thinking: true };
    expect(write(messages, { kwargs })).to.equal(
      `${BOS}<｜User｜>hi<｜Assistant｜></think>yes${EOS}<｜User｜>so?<｜Assistant｜><think>`,
    );
    expect(write(messages, { kwargs: { ...kwargs, drop_thinking: false } })).to.contain("<think>hm</think>yes");
    expect(write(messages, { kwargs, tools: [TOOL] })).to.contain("<think>hm</think>yes");
  });

  it("writes calls with typed parameters, and arguments that are no JSON as they are", () => {
    const calls = [call("lookup", '{"key": "a", "n": 4.0}'), call("ls", "oops"), call("now", "{}")];
    const text = write([user("?"), assistant("", { tool_calls: calls })], {}, false);
    expect(text).to.contain(
      [
        "</think>\n\n<｜DSML｜tool_calls>",
        '<｜DSML｜invoke name="lookup">',
        '<｜DSML｜parameter name="key" string="true">a</｜DSML｜parameter>',
        '<｜DSML｜parameter name="n" string="false">4.0</｜DSML｜parameter>',
        "</｜DSML｜invoke>",
        '<｜DSML｜invoke name="ls">',
        '<｜DSML｜parameter name="arguments" string="true">oops</｜DSML｜parameter>',
        "</｜DSML｜invoke>",
        '<｜DSML｜invoke name="now">',
        "",
        "</｜DSML｜invoke>",
        `</｜DSML｜tool_calls>${EOS}`,
      ].join("\n"),
    );
  });

  it("puts results in the order of their calls into one user turn, with what the user says after", () => {
    const calls = [call("a", "{}", "1"), call("b", "{}", "2")];
    const results = [tool("two", { tool_call_id: "2" }), tool("one", { tool_call_id: "1" })];
    const text = write([user("?"), assistant("", { tool_calls: calls }), ...results, user("and?")]);
    expect(
      text.endsWith(
        `${EOS}<｜User｜><tool_result>one</tool_result>\n\n<tool_result>two</tool_result>\n\nand?<｜Assistant｜></think>`,
      ),
    ).to.equal(true);
  });

  it("describes tools after the system prompt", () => {
    const text = write([system("Be brief."), user("?")], { tools: [TOOL] });
    expect(text.startsWith(`${BOS}Be brief.\n\n## Tools\n\n`)).to.equal(true);
    expect(text).to.contain('{"name": "lookup", "parameters": {"type": "object"}}\n\nYou MUST');
  });

  it("appends results, and closes a turn that has no end", () => {
    const tokens = new ContinuousTokenBuilder(encoder({ tools: [TOOL], kwargs: { thinking: true } }));
    tokens.start([user("?")]);
    tokens.addAssistant(sampled(tokenizer, "hm</think>calls"));
    const history = [user("?"), assistant("calls", { tool_calls: [call("lookup")] })];
    const edit = tokens.addMessages(history, [...history, tool("one"), user("and?")]);
    expect(tokenizer.decode(edit.insertedIds)).to.equal(EOS);
    expect(tokenizer.decode(edit.appendedIds)).to.equal(
      "<｜User｜><tool_result>one</tool_result>\n\nand?<｜Assistant｜><think>",
    );
  });

  it("begins a new sample where it would drop what the model saw", () => {
    const tokens = new ContinuousTokenBuilder(encoder({ kwargs: { thinking: true } }));
    tokens.start([user("?")]);
    tokens.addAssistant(sampled(tokenizer, `hm</think>yes${EOS}`));
    const history = [user("?"), assistant("yes", { reasoning_content: "hm" })];
    const edit = tokens.addMessages(history, [...history, user("so?")]);
    expect([edit.kind, edit.reason?.includes("drop_thinking")]).to.deep.equal(["split", true]);
    expect(tokenizer.decode(tokens.promptIds)).to.contain("</think>yes");
  });

  it("knows no other roles", () => {
    expect(thrownBy(() => write([{ role: "narrator", content: "x" }])).code).to.equal("VERL_AGENT_MESSAGE_ROLE");
  });
});
