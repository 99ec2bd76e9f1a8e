import { expect } from "chai";
import {
  type AgentLoop,
  type AgentLoopContext,
  type AgentLoopFactory,
  type AgentLoopInput,
  agentLoopFromExport,
  agentLoopManager,
  createAgentLoopManager,
  functionTool,
  type Interaction,
  type Tool,
  ToolSet,
} from "../../../../core/agent/index.js";
import { ScriptedClient } from "../../../../testing/index.js";
import { type HarnessOptions, harness, output, task, tokenizer } from "../harness.js";

// biome-ignore lint/suspicious/noExplicitAny: user code writes into what types call readonly
type Loose = Record<string, any>;

/** What user code writes into what it is given; fails on frozen values. */
const scribble = (messages: unknown, row: unknown) => {
  (messages as Loose[])[0].content += "!";
  (messages as Loose[]).push({ role: "assistant", content: "A" });
  (row as Loose).extra_info.seen.push(1);
  (row as Loose).reward_model = null;
};

const scribbling: AgentLoopFactory = {
  name: "scribbler",
  create: () => ({
    async run({ messages, row }: AgentLoopInput) {
      const had = { messages: messages.length, seen: ((row as Loose).extra_info.seen as unknown[]).length };
      scribble(messages, row);
      return output({ extraFields: { had } });
    },
  }),
};

const seen = () => ({ ...task("u").row, extra_info: { seen: [] } });
const TURNS = { prompt_length: 600, response_length: 400 };
const call = '<tool_call>{"name": "note", "arguments": {}}</tool_call>';

async function twice(options: HarnessOptions, one = task("u", { row: seen() })) {
  const rig = harness({ ...options, rollout: { n: 2, ...options.rollout } });
  const before = structuredClone(one);
  await rig.submit([one]);
  await rig.manager.drain();
  expect((await rig.tags()).u).to.deep.include({ status: "finished" });
  expect({ ...one }).to.deep.equal(before);
  return rig;
}

describe("what user code is given of a row", () => {
  it("is a loop's own: no session sees what another has done to it", async () => {
    const { rows } = await twice({ loops: [scribbling], agent: { default_agent_loop: "scribbler" } });
    for (const { extraFields } of Object.values(await rows())) {
      expect(extraFields).to.deep.equal({ had: { messages: 1, seen: 0 } });
    }
  });

  it("is a prompt of its own, whose tokens are those of the messages as they are", async () => {
    const lengths: number[][] = [];
    const asking = {
      name: "asking",
      create: ({ encodePrompt, preparePrompt }: AgentLoopContext) => ({
        async run({ messages }: AgentLoopInput) {
          const ids = encodePrompt(messages) as number[];
          const prompt = await preparePrompt(messages);
          lengths.push([ids.length, prompt.messages.length, prompt.promptIds.length]);
          ids.push(1);
          (prompt.promptIds as number[]).push(1);
          (prompt.messages as unknown as Loose[]).push({ role: "assistant", content: "A" });
          (messages as unknown as Loose[]).push({ role: "assistant", content: "A" });
          expect(encodePrompt(messages).length).to.be.greaterThan(ids.length);
          return output();
        },
      }),
    };
    await twice({ loops: [asking], agent: { default_agent_loop: "asking" } });
    expect(lengths[1]).to.deep.equal(lengths[0]);
    expect(lengths[0].slice(1)).to.deep.equal([1, lengths[0][0]]);
  });

  it("is the data set's row for the reward, whatever the loop has done to its own", async () => {
    const heard: unknown[] = [];
    await twice({
      loops: [scribbling],
      agent: { default_agent_loop: "scribbler" },
      score({ groundTruth, extraInfo }) {
        const { seen } = extraInfo as Loose;
        heard.push([groundTruth, [...seen]]);
        seen.push("r");
        return 1;
      },
    });
    expect(heard).to.deep.equal([
      ["42", []],
      ["42", []],
    ]);
  });

  it("leaves what a loop has added as it was, when the reward writes into it", async () => {
    const adding = { name: "adding", create: () => ({ run: async () => output({ extraFields: { list: [1] } }) }) };
    const score = ({ extraInfo }: Loose) => (extraInfo as Loose).list.push(2);
    const { rows } = await twice({ loops: [adding], agent: { default_agent_loop: "adding" }, score });
    expect((await rows()).u_0_0.extraFields).to.deep.equal({ list: [1] });
  });

  it("is a simulated user's own for a session, from its start to its end", async () => {
    const counts: unknown[] = [];
    const teacher: Interaction = {
      name: "teacher",
      startInteraction: (_, kwargs) => void counts.push((kwargs as Loose).tries),
      generateResponse(_, messages, kwargs) {
        Object.assign(messages[0], { content: "" });
        (kwargs as Loose).tries++;
        return { text: "again", terminate: (kwargs as Loose).tries >= 2 };
      },
      finalizeInteraction: (_, kwargs) => void counts.push((kwargs as Loose).tries),
    };
    const row = { ...seen(), extra_info: { interaction_kwargs: { name: "teacher", tries: 0 } } };
    await twice(
      {
        rollout: TURNS,
        agent: { default_agent_loop: "tool_agent" },
        over: { interactions: new Map([["teacher", teacher]]) },
      },
      task("u", { row }),
    );
    expect(counts.sort()).to.deep.equal([0, 0, 2, 2]);
  });

  it("is a tool's own at every call", async () => {
    const left: unknown[] = [];
    const note = functionTool(() => "noted", { name: "note", description: "", parameters: { type: "object" } });
    const tool: Tool = {
      ...note,
      create(_, kwargs, { row }) {
        left.push((kwargs as Loose).left--);
        (row as Loose).extra_info.tools_kwargs.note.create_kwargs.left = 0;
      },
    };
    const row = { ...seen(), extra_info: { tools_kwargs: { note: { create_kwargs: { left: 3 } } } } };
    const client = new ScriptedClient(
      [call, call, call, call, "done"].map((text) => ({ tokenIds: [...tokenizer.encode(text), 1] })),
    );
    await twice(
      {
        rollout: TURNS,
        agent: { default_agent_loop: "tool_agent" },
        over: { client, tools: await ToolSet.of([tool]) },
      },
      task("u", { row }),
    );
    expect(left.length).to.be.greaterThan(2);
    expect(new Set(left)).to.deep.equal(new Set([3]));
  });

  it("goes for a loop's options, sampling and limits, too", async () => {
    const had: unknown[] = [];
    class Counting implements AgentLoop {
      constructor(private readonly context: AgentLoopContext) {}
      async run() {
        const { options, sampling, multiTurn } = this.context as Loose;
        had.push([options.level.n++, options.own.n++, sampling.temperature, multiTurn.maxParallelCalls]);
        sampling.temperature = 9;
        multiTurn.maxParallelCalls = 9;
        return output();
      }
    }
    const loops = [agentLoopFromExport("counting", Counting, { own: { n: 3 } })];
    await twice({ loops, agent: { default_agent_loop: "counting", loops: { counting: { level: { n: 1 } } } } });
    expect(had[1]).to.deep.equal(had[0]);
    expect(had[0]).to.have.deep.members([1, 3, 1, (had[0] as unknown[])[3]]);
  });

  it("shares the bytes of media", async () => {
    const bytes = new Uint8Array(8);
    let given: unknown;
    const looking = {
      name: "looking",
      create: () => ({
        async run({ row }: AgentLoopInput) {
          given = (row as Loose).images[0].bytes;
          return output();
        },
      }),
    };
    const row = { ...seen(), images: [{ bytes }] } as never;
    await twice({ loops: [looking], agent: { default_agent_loop: "looking" } }, task("u", { row }));
    expect(given).to.equal(bytes);
  });

  it("is the own of a manager of one's own", async () => {
    const rig = harness({ rollout: { n: 1 }, score: ({ groundTruth }) => (groundTruth === "42" ? 1 : 0) });
    const { options, queue } = rig;
    const config = { ...options.config, trainer: { sample_deadline_s: 10 } } as typeof options.config;
    const Own = {
      create: () => ({
        generateSequences({ prompts }: Loose) {
          for (const { messages, row, deliver } of prompts) {
            scribble(messages, row);
            deliver(0, output());
          }
        },
      }),
    };
    const source = { reference: "./own.ts#Own", registered: () => agentLoopManager, loadUserModule: async () => Own };
    const manager = await createAgentLoopManager(source, { ...options, config });
    const one = task("u", { row: seen() });
    const before = structuredClone(one);
    await queue.put("train", "u", { tag: { status: "pending" } }, { attempt: 0 });
    await manager.submit([one], { partition: "train", globalStep: 1 });
    await manager.drain();
    expect(one).to.deep.equal(before);
    expect((await rig.rows()).u_0_0.score).to.equal(1);
  });
});
