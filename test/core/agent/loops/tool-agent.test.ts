import { expect } from "chai";
import { builtinToolParsers, functionTool, type Tool, ToolSet, toolAgent } from "../../../../core/agent/index.js";
import type { Row } from "../../../../core/plugin.js";
import { rolloutErrors } from "../../../../core/rollout/index.js";
import type { TokenOutput } from "../../../../core/rollout/rollout.js";
import { agentLoopConformance, runConformance, ScriptedClient } from "../../../../testing/index.js";
import { harness, task, tokenizer } from "../harness.js";

const parameters = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
const double = functionTool(({ a }) => String(2 * Number(a)), { name: "double", description: "Doubles.", parameters });
const call = (args: string, name = "double") => `<tool_call>{"name": "${name}", "arguments": ${args}}</tool_call>`;
const ids = (text: string) => tokenizer.encode(text);

interface Setup {
  readonly tools?: readonly Tool[];
  readonly multi_turn?: Record<string, unknown>;
  readonly responseLength?: number;
  readonly row?: Row;
  /** How the server ends a turn, by its number. */
  readonly stops?: readonly TokenOutput["stopReason"][];
}

/** Run one session over these turns of the model. */
async function play(turns: readonly string[], setup: Setup = {}) {
  const { tools = [double], multi_turn = {}, responseLength = 600, row = {}, stops = [] } = setup;
  const client = new ScriptedClient(
    turns.map((text, i) => ({
      tokenIds: [...ids(text), 1],
      minWeightVersion: i,
      maxWeightVersion: i,
      stopReason: stops[i] ?? "stop",
    })),
  );
  const { manager, submit, rows, tags } = harness({
    rollout: { n: 1, prompt_length: 600, response_length: responseLength },
    agent: { default_agent_loop: "tool_agent" },
    multi_turn,
    over: { client, tools: await ToolSet.of(tools) },
  });
  const one = task("u");
  await submit([{ ...one, row: { ...one.row, ...row } }]);
  await manager.drain();
  const stored = await rows();
  const record = stored.u_0_0 as unknown as {
    responseIds: Int32Array;
    responseMask: Int32Array;
    numTurns: number;
    stopReason: string;
    minWeightVersion: number;
    maxWeightVersion: number;
    metrics: Record<string, number>;
    extraFields: {
      tool_rewards: number[];
      truncation?: string;
      tool_calls: { tool: string; outcome: string; message: Record<string, unknown> }[];
    };
  };
  expect(record, JSON.stringify(await tags())).to.not.equal(undefined);
  const part = (bit: number) =>
    tokenizer.decode([...record.responseIds].filter((_, t) => record.responseMask[t] === bit));
  const calls = record.extraFields.tool_calls;
  return {
    client,
    record,
    stored,
    calls,
    sampled: part(1),
    added: part(0),
    text: tokenizer.decode(record.responseIds),
  };
}

const content = ({ message }: { message: Record<string, unknown> }) => String(message.content);

runConformance(
  "tool_agent",
  agentLoopConformance({
    factory: toolAgent,
    tools: [double],
    toolParser: builtinToolParsers[0],
    answers: [call('{"a": 3}'), "6"],
  }),
  { describe, it },
);

describe("tool_agent", () => {
  it("answers a call and goes on, training on sampled tokens alone", async () => {
    const { text, sampled, record, client } = await play([call('{"a": 21}'), "It is 42"]);
    expect(text).to.equal(`${call('{"a": 21}')}<end><tool>42<end><assistant>It is 42<end>`);
    expect(sampled).to.equal(`${call('{"a": 21}')}<end>It is 42<end>`);
    expect(record.numTurns).to.equal(4);
    expect(record.stopReason).to.equal("stop");
    expect([record.minWeightVersion, record.maxWeightVersion]).to.deep.equal([0, 1]);
    expect(client.requests).to.have.length(2);
    expect(record.metrics).to.include({ "tool/calls": 1, "tool/ok": 1 });
  });

  it("shows the tools to the model", async () => {
    const { client } = await play(["done"]);
    expect(tokenizer.decode(client.requests[0].promptIds)).to.contain('"name":"double"');
  });

  it("tool_selection restricts what a row is shown and may call, unknown names aside", async () => {
    const other = functionTool(() => "x", { name: "other", description: "Other.", parameters: { type: "object" } });
    const row = { extra_info: { tool_selection: ["other", "nowhere"] } };
    const { client, calls } = await play([call('{"a": 1}'), "done"], { tools: [double, other], row });
    expect(tokenizer.decode(client.requests[0].promptIds)).not.to.contain('"name":"double"');
    expect(calls[0].outcome).to.equal("unknown_tool");
  });

  it("T3: malformed arguments are answered with the error as that call's result, and the model goes on", async () => {
    const { calls, client, record } = await play([
      '<tool_call>{"name": "double", "arguments": {"a": 1 "x"}}</tool_call>',
      "done",
    ]);
    expect(calls[0].outcome).to.equal("bad_arguments");
    expect(content(calls[0])).to.match(/^Error: .*double/);
    expect(client.requests).to.have.length(2);
    expect(record.metrics["tool/bad_arguments"]).to.equal(1);
    expect(record.extraFields.tool_rewards).to.deep.equal([0]);
  });

  for (const args of ["null", "[1]", '"a"', "{}", '{"a": "x"}']) {
    it(`T3: arguments ${args} do not fit and are answered with why`, async () => {
      const { calls } = await play([call(args), "done"]);
      expect(calls[0].outcome).to.equal("bad_arguments");
      expect(content(calls[0])).to.contain("double");
    });
  }

  it("T4: an unknown tool is answered with its name and the tools there are", async () => {
    const { added, client } = await play([call("{}", "solve_equation"), "done"]);
    expect(added).to.contain('Error: there is no tool "solve_equation". Available tools: double.');
    expect(client.requests).to.have.length(2);
  });

  it("T5: results of parallel calls appear once each, in the order of the calls", async () => {
    const slowFirst = functionTool(
      async ({ a }) => {
        await new Promise((done) => setTimeout(done, a === 1 ? 10 : 0));
        return `r${a}`;
      },
      { name: "double", description: "Slow.", parameters },
    );
    const { added } = await play([call('{"a": 1}') + call('{"a": 2}'), "done"], {
      tools: [slowFirst],
      multi_turn: { max_parallel_calls: 2 },
    });
    expect(added).to.equal("<tool>r1<end><tool>r2<end><assistant>");
  });

  it("calls beyond max_parallel_calls are neither executed nor answered, and their tokens stay trained", async () => {
    const { sampled, added } = await play([call('{"a": 1}') + call('{"a": 2}'), "done"]);
    expect(added).to.equal("<tool>2<end><assistant>");
    expect(sampled).to.contain(call('{"a": 2}'));
  });

  it("T6: length wins over tool calls; none is executed, each counts as an error", async () => {
    let executed = 0;
    const counting = functionTool(() => String(++executed), { name: "double", description: "Counts.", parameters });
    const { record, calls, client } = await play([`${call('{"a": 1}')}<tool_call>{"name": "dou`], {
      tools: [counting],
      stops: ["length"],
    });
    expect(executed).to.equal(0);
    expect(record.stopReason).to.equal("length");
    expect(calls.map(({ outcome }) => outcome)).to.deep.equal(["cut_off"]);
    expect(client.requests).to.have.length(1);
  });

  it("T8: max_tool_response_length counts characters, and the marker comes on top", async () => {
    const long = functionTool(() => "0123456789ABCDEF", { name: "double", description: "Long.", parameters });
    for (const [side, expected] of [
      ["right", "0123456789...(truncated)"],
      ["left", "(truncated)...6789ABCDEF"],
      ["middle", "01234...(truncated)...BCDEF"],
    ]) {
      const multi_turn = { max_tool_response_length: 10, tool_response_truncate_side: side };
      const { calls, record } = await play([call('{"a": 1}'), "done"], { tools: [long], multi_turn });
      expect(content(calls[0])).to.equal(expected);
      expect(record.metrics["tool/truncated"]).to.equal(1);
    }
  });

  it("T9: a tool that never resolves is answered at its deadline, and its signal fires", async () => {
    let aborted = false;
    const hanging = functionTool(
      (_, { signal }) => {
        signal.addEventListener("abort", () => {
          aborted = true;
        });
        return new Promise(() => {});
      },
      { name: "double", description: "Hangs.", parameters },
    );
    const { calls, record } = await play([call('{"a": 1}'), "done"], {
      tools: [hanging],
      multi_turn: { tool_deadline_s: 0.02 },
    });
    expect(calls[0].outcome).to.equal("timeout");
    expect(content(calls[0])).to.equal('Error: the tool "double" did not answer within 0.02 s.');
    expect(aborted).to.equal(true);
    expect(record.metrics["tool/timeout"]).to.equal(1);
  });

  it("a tool that throws is answered with its name and message", async () => {
    const broken = functionTool(
      () => {
        throw new Error("no disk");
      },
      { name: "double", description: "Fails.", parameters },
    );
    const { calls } = await play([call('{"a": 1}'), "done"], { tools: [broken] });
    expect(content(calls[0])).to.equal('Error: the tool "double" failed: no disk');
  });

  it("collects rewards of results: those given, 0 for errors, none for results without", async () => {
    const scored = functionTool(({ a }) => (a === 1 ? { text: "ok", reward: 0.5, metrics: { hits: 2 } } : "plain"), {
      name: "double",
      description: "Scores.",
      parameters,
    });
    const turns = [call('{"a": 1}'), call('{"a": 2}'), call("{}"), "done"];
    const { record } = await play(turns, { tools: [scored] });
    expect(record.extraFields.tool_rewards).to.deep.equal([0.5, 0]);
    expect(record.metrics["tool/double/hits"]).to.equal(2);
  });

  it("is scored by the whole text, tool output included", async () => {
    const seen: string[] = [];
    const client = new ScriptedClient([call('{"a": 21}'), "It is 42"].map((text) => ({ tokenIds: [...ids(text), 1] })));
    const { manager, submit } = harness({
      rollout: { n: 1, prompt_length: 600, response_length: 600 },
      agent: { default_agent_loop: "tool_agent" },
      score: ({ solution }) => {
        seen.push(solution);
        return 1;
      },
      over: { client, tools: await ToolSet.of([double]) },
    });
    await submit([task("u")]);
    await manager.drain();
    expect(seen).to.have.length(1);
    expect(seen[0]).to.match(/double.*42.*It is 42/s);
  });

  it("max_assistant_turns ends the trajectory before its last turn is parsed", async () => {
    const { record, calls } = await play([call('{"a": 1}')], { multi_turn: { max_assistant_turns: 2 } });
    expect(record.stopReason).to.equal("max_turns");
    expect(calls).to.have.length(1);
    expect(record.numTurns).to.equal(4);
  });

  it("max_user_turns counts rounds of results", async () => {
    const { record, calls } = await play([call('{"a": 1}')], { multi_turn: { max_user_turns: 1 } });
    expect(record.stopReason).to.equal("max_turns");
    expect(calls).to.have.length(1);
  });

  it("drops results that leave no room for an answer, and ends", async () => {
    const turn = call('{"a": 1}');
    const responseLength = turn.length + 1 + 4; // `<tool>2<end><assistant>` are 4 tokens
    const { text, record, client } = await play([turn], { responseLength });
    expect(text).to.equal(`${turn}<end>`);
    expect([record.stopReason, record.numTurns]).to.deep.equal(["length", 2]);
    expect(client.requests).to.have.length(1);
  });

  it("gives every turn what is left of the response length", async () => {
    const { client } = await play([call('{"a": 1}'), "done"], { responseLength: 200 });
    const used = client.requests[1].promptIds.length - client.requests[0].promptIds.length;
    expect(client.requests.map(({ sampling }) => sampling.maxTokens)).to.deep.equal([200, 200 - used]);
  });

  it("max_assistant_response_length bounds each turn within what the response has left, and says that it did", async () => {
    const multi_turn = { max_assistant_response_length: 80 };
    const { client, record } = await play([call('{"a": 1}'), "x".repeat(200)], {
      multi_turn,
      responseLength: 160,
      stops: ["stop", "length"],
    });
    const used = client.requests[1].promptIds.length - client.requests[0].promptIds.length;
    expect(client.requests.map(({ sampling }) => sampling.maxTokens)).to.deep.equal([80, Math.min(80, 160 - used)]);
    expect(record.stopReason).to.equal("length");
    expect(record.extraFields.truncation).to.equal("turn");
  });

  it("a conversation that outgrows the context of the server ends by length, with the reason", async () => {
    let turn = 0;
    const client = new ScriptedClient(({ promptIds }) => {
      if (turn++ > 0) throw rolloutErrors.VERL_ROLLOUT_PROMPT_TOO_LONG({ what: `${promptIds.length} tokens` });
      return { tokenIds: [...ids(call('{"a": 1}')), 1] };
    });
    const { manager, submit, rows } = harness({
      rollout: { n: 1, prompt_length: 600, response_length: 600 },
      agent: { default_agent_loop: "tool_agent" },
      over: { client, tools: await ToolSet.of([double]) },
    });
    await submit([task("u")]);
    await manager.drain();
    const { u_0_0: row } = await rows();
    expect(row.stopReason).to.equal("length");
    expect(row.extraFields).to.include({ truncation: "context" });
    expect(turn).to.equal(2);
  });

  it("a first prompt that is longer than the context fails its session, for no turn can be had", async () => {
    const client = new ScriptedClient(() => {
      throw rolloutErrors.VERL_ROLLOUT_PROMPT_TOO_LONG({ what: "9 tokens" });
    });
    const { manager, submit, tags } = harness({ agent: { default_agent_loop: "tool_agent" }, over: { client } });
    await submit([task("u")]);
    await manager.drain();
    expect(String((await tags()).u.lastEvent)).to.contain("VERL_ROLLOUT_PROMPT_TOO_LONG");
  });

  it("a trajectory in which nothing was sampled is one with an empty response", async () => {
    const client = new ScriptedClient([{ tokenIds: [], stopReason: "aborted" }]);
    const { manager, submit, rows } = harness({
      rollout: { n: 1 },
      agent: { default_agent_loop: "tool_agent" },
      over: { client },
    });
    await submit([task("u")]);
    await manager.drain();
    const { u_0_0: row } = await rows();
    expect([...(row.responseIds as Int32Array)]).to.deep.equal([]);
    expect((row.promptIds as Int32Array).length).to.be.greaterThan(0);
  });

  it("a template that cannot append gives several trajectories, whose prompts hold what came before", async () => {
    const refusing = { ...tokenizer };
    // Writes the whole conversation in reverse, so that nothing can be appended to it.
    refusing.renderChat = (messages, options) => tokenizer.renderChat([...messages].reverse(), options);
    refusing.encodeChat = (messages, options) => tokenizer.encode(refusing.renderChat(messages, options));
    const client = new ScriptedClient([{ tokenIds: [...ids(call('{"a": 2}')), 1] }, { tokenIds: [...ids("done"), 1] }]);
    const { manager, submit, rows } = harness({
      rollout: { n: 1, prompt_length: 600, response_length: 600 },
      agent: { default_agent_loop: "tool_agent" },
      over: { client, tokenizer: refusing, tools: await ToolSet.of([double]) },
    });
    await submit([task("u")]);
    await manager.drain();
    const { u_0_0: first, u_0_1: second } = await rows();
    expect(tokenizer.decode(first.responseIds as Int32Array)).to.equal(`${call('{"a": 2}')}<end>`);
    expect(tokenizer.decode(second.responseIds as Int32Array)).to.equal("done<end>");
    expect(tokenizer.decode(second.promptIds as Int32Array)).to.contain("<tool>4<end>");
    expect([first.score, second.score]).to.deep.equal([1, 1]);
  });
});
