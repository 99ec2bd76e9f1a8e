import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import {
  BaseInteraction,
  functionTool,
  type Interaction,
  type InteractionTurn,
  loadInteractions,
  ToolSet,
} from "../../../../core/agent/index.js";
import type { ChatMessage } from "../../../../core/plugin.js";
import { ScriptedClient } from "../../../../testing/index.js";
import { harness, task, tokenizer } from "../harness.js";

const call = '<tool_call>{"name": "double", "arguments": {"a": 21}}</tool_call>';
const double = functionTool(({ a }) => String(2 * Number(a)), {
  name: "double",
  description: "Doubles.",
  parameters: { type: "object", properties: { a: { type: "integer" } }, required: ["a"] },
});

/** A teacher who says these things in turn, and notes what he was asked. */
function teacher(answers: readonly InteractionTurn[], over: Partial<Interaction> = {}) {
  const events: string[] = [];
  const heard: (readonly ChatMessage[])[] = [];
  const interaction: Interaction = {
    name: "teacher",
    startInteraction: (id, kwargs) => void events.push(`start ${id} ${JSON.stringify(kwargs)}`),
    generateResponse(_, messages) {
      heard.push(messages);
      return answers[Math.min(heard.length, answers.length) - 1];
    },
    finalizeInteraction: (id) => void events.push(`finalize ${id}`),
    ...over,
  };
  return { interaction, events, heard };
}

interface Setup {
  readonly interaction: Interaction;
  readonly kwargs?: unknown;
  readonly multi_turn?: Record<string, unknown>;
  readonly responseLength?: number;
}

async function play(turns: readonly string[], { interaction, multi_turn, responseLength = 400, ...setup }: Setup) {
  const client = new ScriptedClient(turns.map((text) => ({ tokenIds: [...tokenizer.encode(text), 1] })));
  const { manager, submit, rows, tags, warnings } = harness({
    rollout: { n: 1, prompt_length: 600, response_length: responseLength },
    agent: { default_agent_loop: "tool_agent" },
    multi_turn,
    over: {
      client,
      tools: await ToolSet.of([double]),
      interactions: new Map([[interaction.name, interaction]]),
    },
  });
  const one = task("u");
  const { kwargs = { name: "teacher" } } = setup;
  await submit([{ ...one, row: { ...one.row, extra_info: { interaction_kwargs: kwargs } as never } }]);
  await manager.drain();
  const stored = (await rows()).u_0_0;
  const ids = stored?.responseIds as Int32Array | undefined;
  const mask = stored?.responseMask as Int32Array | undefined;
  const part = (bit: number) => tokenizer.decode([...(ids ?? [])].filter((_, t) => mask?.[t] === bit));
  return {
    row: stored,
    extra: stored?.extraFields as { turn_scores: number[]; truncation?: string; interaction?: unknown },
    text: ids && tokenizer.decode(ids),
    sampled: part(1),
    tag: (await tags()).u,
    client,
    warnings,
  };
}

describe("simulated users", () => {
  it("answer turns without calls until they end the conversation, and their words are not trained on", async () => {
    const { interaction, events, heard } = teacher([
      { text: "Are you sure?", terminate: false, score: 0 },
      { text: "Right.", terminate: true, score: 1, extra: { mood: "glad" } },
    ]);
    const { text, sampled, row, extra } = await play(["41", "42"], {
      interaction,
      kwargs: { name: "teacher", gt: "42" },
    });
    expect(text).to.equal("41<end><user>Are you sure?<end><assistant>42<end><user>Right.<end><assistant>");
    expect(sampled).to.equal("41<end>42<end>");
    expect(extra.turn_scores).to.deep.equal([0, 1]);
    expect(extra.interaction).to.deep.equal({ mood: "glad" });
    expect([row.stopReason, row.numTurns]).to.deep.equal(["user", 5]);
    expect(heard[1].map(({ role, content }) => [role, content])).to.deep.equal([
      ["user", "6*7"],
      ["assistant", "41"],
      ["user", "Are you sure?"],
      ["assistant", "42"],
    ]);
    expect(events).to.deep.equal(['start u_0 {"name":"teacher","gt":"42"}', "finalize u_0"]);
  });

  it("wait while the model calls tools", async () => {
    const { interaction, heard } = teacher([{ text: "Good.", terminate: true }]);
    const { text } = await play([call, "42"], { interaction });
    expect(text).to.equal(`${call}<end><tool>42<end><assistant>42<end><user>Good.<end><assistant>`);
    expect(heard).to.have.length(1);
  });

  it("count as turns, which have a limit", async () => {
    const { interaction, heard } = teacher([{ text: "Again.", terminate: false }]);
    const { row, client } = await play(["1"], { interaction, multi_turn: { max_user_turns: 2 } });
    expect([row.stopReason, row.numTurns, heard.length, client.requests.length]).to.deep.equal(["max_turns", 6, 2, 3]);
  });

  it("are not trained on where their message leaves no room for an answer", async () => {
    const { interaction, events } = teacher([{ text: "x".repeat(60), terminate: false }]);
    const { text, row, extra } = await play(["1"], { interaction, responseLength: 40 });
    expect(text).to.equal("1<end>");
    expect([row.stopReason, extra.truncation]).to.deep.equal(["length", "user_message"]);
    expect(events.at(-1)).to.equal("finalize u_0");
  });

  for (const [kwargs, what] of [
    [{}, "the row names no interaction"],
    [{ name: "nobody" }, 'there is no interaction "nobody"'],
  ] as const) {
    it(`fail the session by name: ${what}`, async () => {
      const { interaction } = teacher([]);
      const { tag, client } = await play(["1"], { interaction, kwargs });
      expect(tag.status).to.equal("failure");
      expect(String(tag.lastEvent)).to.contain("VERL_AGENT_INTERACTION").and.to.contain(what);
      expect(client.requests).to.deep.equal([]);
    });
  }

  const failures: Record<string, [Partial<Interaction>, string]> = {
    "that throw at the start": [
      { startInteraction: () => Promise.reject(new Error("no seat")) },
      'the interaction "teacher" threw in startInteraction.*no seat \\(at .*interactions\\.test\\.',
    ],
    "that never start": [
      { startInteraction: () => new Promise(() => {}) },
      "did not come back from startInteraction within 0.02 s",
    ],
    "that throw": [
      {
        generateResponse() {
          throw new Error("lost patience");
        },
      },
      'the interaction "teacher" threw in generateResponse.*lost patience \\(at .*interactions\\.test\\.',
    ],
    "that never answer": [
      { generateResponse: () => new Promise(() => {}) },
      "did not come back from generateResponse within 0.02 s",
    ],
    "that return a text without end": [
      { generateResponse: () => ({ text: "x".repeat(100_001), terminate: true }) },
      "its text has 100001 characters, more than 100000",
    ],
    "that return no text": [
      { generateResponse: () => ({ terminate: true }) as never },
      "gave an answer that cannot be used.*it returned no text",
    ],
    "whose score is beyond float32": [
      { generateResponse: () => ({ text: "", terminate: true, score: 1e39 }) },
      "score is 1e\\+39, beyond float32",
    ],
    "whose score is no number": [
      { generateResponse: () => ({ text: "", terminate: true, score: Number.NaN }) },
      "score is NaN",
    ],
  };
  for (const [what, [over, why]] of Object.entries(failures)) {
    it(`${what} fail the session, and are finalized`, async () => {
      const { interaction, events } = teacher([], over);
      const { tag } = await play(["1"], { interaction, multi_turn: { interaction_deadline_s: 0.02 } });
      expect(String(tag.lastEvent)).to.contain("VERL_AGENT_INTERACTION").and.to.match(new RegExp(why, "s"));
      expect(events.at(-1)).to.equal("finalize u_0");
    });
  }

  it("that cannot be finalized are a warning", async () => {
    const { interaction } = teacher([{ text: "Bye.", terminate: true }], {
      finalizeInteraction: () => Promise.reject(new Error("door is locked")),
    });
    const { tag, warnings } = await play(["1"], { interaction });
    expect(tag.status).to.equal("finished");
    expect(warnings.join()).to.contain('the interaction "teacher" threw in finalizeInteraction, trajectory u_0');
    expect(warnings.join()).to.contain("door is locked").and.to.contain("interactions.test.");
  });

  it("that never finish their finalization are a warning after their deadline", async () => {
    const over = { finalizeInteraction: () => new Promise<void>(() => {}) };
    const { interaction } = teacher([{ text: "Bye.", terminate: true }], over);
    const { tag, warnings } = await play(["1"], { interaction, multi_turn: { interaction_deadline_s: 0.02 } });
    expect(tag.status).to.equal("finished");
    expect(warnings.join()).to.contain("did not come back from finalizeInteraction within 0.02 s");
  });
});

describe("the file in interaction_config_path", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "verl-interactions-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  class Gsm8kInteraction extends BaseInteraction {
    generateResponse(): InteractionTurn {
      return { text: "", terminate: true };
    }
  }

  async function load(yaml: string) {
    await writeFile(path.join(folder, "users.yaml"), yaml);
    return loadInteractions({
      configPath: "users.yaml",
      cwd: folder,
      loadUserModule: async (_, name) => ({ Gsm8kInteraction, none: 1, Empty: class {} })[name ?? ""],
    });
  }

  it("names users like their classes where it gives no name, and tells them their names", async () => {
    const known = await load(`interaction:
  - class_name: ./users.ts#Gsm8kInteraction
    config: {level: 2}
  - {name: strict, class_name: "./users.ts#Gsm8kInteraction"}`);
    expect([...known.keys()]).to.deep.equal(["gsm8k", "strict"]);
    expect((known.get("gsm8k") as Gsm8kInteraction).config).to.deep.equal({ level: 2, name: "gsm8k" });
  });

  it("is refused with the reason", async () => {
    const cases: [string, string][] = [
      ["[]", "no list interaction"],
      ["interaction: [{name: a}]", "no class_name"],
      ['interaction: [{class_name: "./u.ts#none"}]', "is no class"],
      ['interaction: [{class_name: "./u.ts#Empty"}]', "without a method generateResponse"],
      ['interaction: [{class_name: "./u.ts#Gsm8kInteraction", config: 3}]', "no section"],
      [
        'interaction: [{class_name: "./u.ts#Gsm8kInteraction"}, {class_name: "./u.ts#Gsm8kInteraction"}]',
        "occurs twice",
      ],
    ];
    for (const [yaml, why] of cases) {
      const error = await load(yaml).catch((e: unknown) => e);
      expect(String(error)).to.contain("VERL_AGENT_BAD_INTERACTION").and.to.contain(why);
    }
  });
});
