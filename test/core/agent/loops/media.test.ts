import { expect } from "chai";
import {
  builtinToolParsers,
  checkOutput,
  functionTool,
  type Interaction,
  type InteractionTurn,
  type Tool,
  ToolSet,
  trajectoryRecord,
} from "../../../../core/agent/index.js";
import { MediaStore, type PlacedMedia, RunMedia } from "../../../../core/data/index.js";
import type { ChatMessage, JsonValue, MediaKind, ReadableMedium, Row } from "../../../../core/plugin.js";
import { createFakeProcessor, createToyTokenizer, ScriptedClient, solidPng } from "../../../../testing/index.js";
import { type HarnessOptions, harness, output, task } from "../harness.js";

const tokenizer = createToyTokenizer({ media: true });
const RED = solidPng(16, 8, [255, 0, 0]);
const BLUE = solidPng(8, 8, [0, 0, 255]);
const dataUrl = (png: Uint8Array) => `data:image/png;base64,${Buffer.from(png).toString("base64")}`;
const CALL = '<tool_call>{"name": "look", "arguments": {}}</tool_call>';

const look = (execute: () => unknown): Tool =>
  functionTool(execute, { name: "look", description: "Looks.", parameters: { type: "object" } });

interface Setup extends HarnessOptions {
  readonly messages?: readonly ChatMessage[];
  readonly tools?: readonly Tool[];
  readonly promptLength?: number;
  readonly responseLength?: number;
  /** `extra_info` of the row. */
  readonly row?: Record<string, JsonValue>;
  /** Null: a model of text. */
  readonly kinds?: readonly MediaKind[] | null;
}

const QUESTION: readonly ChatMessage[] = [{ role: "user", content: "?" }];

/** One session of an agent loop with a processor, over these turns of the model. */
async function play(loop: string, turns: readonly string[], setup: Setup = {}) {
  const { messages = QUESTION, tools = [], promptLength = 600, responseLength = 600 } = setup;
  const client = new ScriptedClient(turns.map((text) => ({ tokenIds: [...tokenizer.encode(text), 1] })));
  const processor = setup.kinds === null ? null : createFakeProcessor(tokenizer);
  const media = new RunMedia({ store: new MediaStore(), processor, tokenizer, model: "models of the type toy" });
  const { manager, submit, rows, tags, warnings } = harness({
    ...setup,
    rollout: { n: 1, prompt_length: promptLength, response_length: responseLength, ...setup.rollout },
    agent: { default_agent_loop: loop },
    over: {
      client,
      tokenizer,
      media,
      toolParser: builtinToolParsers[0],
      tools: await ToolSet.of(tools),
      ...setup.over,
    },
  });
  const { row: own = {} } = setup;
  await submit([task("u", { messages, row: { ...task("u").row, extra_info: own } as Row })]);
  await manager.drain();
  const stored = await rows();
  const row = stored.u_0_0 as
    | (Row & {
        promptIds: Int32Array;
        responseIds: Int32Array;
        responseMask: Int32Array;
        multiModalData?: PlacedMedia[];
      })
    | undefined;
  const ids = row ? [...row.promptIds, ...row.responseIds] : [];
  return {
    client,
    media,
    row,
    tags: await tags(),
    warnings,
    text: tokenizer.decode(ids),
    /** Text of the tokens that stand for each medium. */
    shown: (row?.multiModalData ?? []).map(({ offset, length }) =>
      tokenizer.decode(ids.slice(offset, offset + length)),
    ),
  };
}

const errorOf = (tags: Readonly<Record<string, { readonly error?: unknown }>>) => JSON.stringify(tags.u);

describe("media in agent loops", () => {
  const shownPrompt: readonly ChatMessage[] = [
    {
      role: "user",
      content: [
        { type: "image", image: dataUrl(RED) },
        { type: "text", text: "which?" },
      ],
    },
  ];

  for (const loop of ["single_turn_agent", "partial_single_turn_agent", "tool_agent", "partial_tool_agent"]) {
    it(`${loop} sends a prompt's image to the server, by reference and with its place`, async () => {
      const { client, row, media, text, shown } = await play(loop, ["red"], { messages: shownPrompt });
      expect(text).to.equal("<user><image><image>which?<end><assistant>red<end>");
      expect(shown).to.deep.equal(["<image><image>"]);
      const [request] = client.requests;
      expect(request.media).to.deep.equal(row?.multiModalData);
      const [ref] = request.media ?? [];
      expect(ref).to.deep.include({ kind: "image", mimeType: "image/png", width: 16, height: 8, offset: 1, length: 2 });
      expect(Buffer.from(await media.bytes(ref)).equals(RED)).to.equal(true);
    });

    it(`${loop} sends nothing beside the tokens of a text`, async () => {
      const { client, row } = await play(loop, ["red"]);
      expect(client.requests[0]).to.not.have.property("media");
      expect(row).to.not.have.property("multiModalData");
    });
  }

  describe("of tools", () => {
    it("stand in the tool's message before its text, with mask 0, and go on through later turns", async () => {
      const pictures = [RED, BLUE];
      const tool = look(() => ({ text: "seen", media: [{ type: "image", image: pictures.shift() }] }));
      const { client, row, text, shown } = await play("tool_agent", [CALL, CALL, "blue"], {
        messages: shownPrompt,
        tools: [tool],
      });
      expect(text).to.match(
        new RegExp(
          `<user><image><image>which\\?<end><assistant>${CALL}<end><tool><image><image>seen<end><assistant>${CALL}<end><tool><image>seen<end><assistant>blue<end>$`,
        ),
      );
      expect(shown).to.deep.equal(["<image><image>", "<image><image>", "<image>"]);
      expect(client.requests.map(({ media = [] }) => media.length)).to.deep.equal([1, 2, 3]);
      for (const { promptIds, media = [] } of client.requests) {
        for (const { offset, length } of media) {
          expect(tokenizer.decode(Array.from(promptIds).slice(offset, offset + length))).to.match(/^(<image>)+$/);
        }
      }
      const prompt = row?.promptIds.length ?? 0;
      for (const { offset, length } of row?.multiModalData?.slice(1) ?? []) {
        const mask = [...(row?.responseMask ?? [])].slice(offset - prompt, offset - prompt + length);
        expect(mask.every((bit) => bit === 0)).to.equal(true);
      }
    });

    it("that are equal are held once", async () => {
      const tool = look(() => ({ text: "", media: [{ type: "image", image: dataUrl(RED) }] }));
      const { row, media } = await play("tool_agent", [CALL, "red"], { messages: shownPrompt, tools: [tool] });
      const ids = row?.multiModalData?.map(({ id }) => id) ?? [];
      expect(ids).to.have.length(2);
      expect(new Set(ids).size).to.equal(1);
      // The prompt's is held for the run.
      expect(media.release()).to.equal(0);
    });

    it("that would fill the response are thrown away whole, and the trajectory ends", async () => {
      const tool = look(() => ({ text: "", media: [{ type: "image", image: solidPng(160, 80, [1, 2, 3]) }] }));
      const { row, text } = await play("tool_agent", [CALL, "red"], { tools: [tool], responseLength: 100 });
      expect(row).to.deep.include({ stopReason: "length" });
      expect(row).to.not.have.property("multiModalData");
      expect(text).to.not.contain("<image>");
    });

    for (const [name, part, why] of [
      ["cannot be read", { type: "image", image: "AAAA" }, "files are not read here"],
      ["is no image", { type: "image", image: Buffer.from("<svg/>") }, "no known format"],
      ["names a file", { type: "image", image: "/etc/hostname" }, "files are not read here"],
      ["is of no known type", { type: "scent", scent: "rose" }, "scent"],
    ] as const) {
      it(`one that ${name} is the tool's failure, which the model reads`, async () => {
        const tool = look(() => ({ text: "", media: [part] }));
        const { row, text, client } = await play("tool_agent", [CALL, "well"], { tools: [tool] });
        expect(text).to.contain("Error: the tool").and.contain(why);
        expect(row?.extraFields).to.have.property("tool_rewards").that.deep.equals([0]);
        expect(client.requests).to.have.length(2);
      });
    }

    it("of a kind that the model does not understand end the session, with the name of the tool", async () => {
      const tool = look(() => ({ text: "", media: [{ type: "video", video: RED }] }));
      const { tags } = await play("tool_agent", [CALL, "well"], { tools: [tool] });
      expect(errorOf(tags)).to.contain("VERL_AGENT_MEDIA").and.contain("look").and.contain("video");
    });

    it("end the session where the model understands text alone", async () => {
      const tool = look(() => ({ text: "", media: [{ type: "image", image: RED }] }));
      const { tags } = await play("tool_agent", [CALL, "well"], { tools: [tool], kinds: null });
      expect(errorOf(tags)).to.contain("VERL_AGENT_MEDIA").and.contain("text alone");
    });

    it("are not made by a text that spells their placeholder", async () => {
      const { text, row } = await play("tool_agent", [CALL, "well"], { tools: [look(() => "a page on <image> tags")] });
      expect(text).to.contain("a page on < image> tags");
      expect(row).to.not.have.property("multiModalData");
    });
  });

  describe("of simulated users", () => {
    const saying = (turns: readonly InteractionTurn[], seen: (readonly ReadableMedium[])[] = []) => {
      const left = [...turns];
      const interaction: Interaction = {
        name: "user",
        generateResponse(_id, _messages, _kwargs, _signal, media) {
          seen.push(media);
          return left.shift() as InteractionTurn;
        },
      };
      return {
        over: { interactions: new Map([["user", interaction]]) },
        row: { interaction_kwargs: { name: "user" } },
      };
    };
    const showingBlue = { text: "And this?", media: [{ type: "image", image: BLUE }], terminate: false };
    const end = { text: "Thanks.", terminate: true };

    it("stand before the text of the user's message, with mask 0, and go on through later turns", async () => {
      const { row, text, shown, client } = await play("tool_agent", ["red", "blue"], {
        messages: shownPrompt,
        ...saying([showingBlue, end]),
      });
      expect(text).to.contain("<assistant>red<end><user><image>And this?<end><assistant>blue<end>");
      expect(shown).to.deep.equal(["<image><image>", "<image>"]);
      expect(client.requests.map(({ media = [] }) => media.length)).to.deep.equal([1, 2]);
      const prompt = row?.promptIds.length ?? 0;
      const { offset = 0 } = row?.multiModalData?.[1] ?? {};
      expect(row?.responseMask[offset - prompt]).to.equal(0);
    });

    it("and of everybody else are theirs to look at, turn by turn", async () => {
      const seen: (readonly ReadableMedium[])[] = [];
      await play("tool_agent", ["red", "blue"], { messages: shownPrompt, ...saying([showingBlue, end], seen) });
      expect(seen.map((media) => media.length)).to.deep.equal([1, 2]);
      expect(Buffer.from(await seen[1][1].bytes()).equals(BLUE)).to.equal(true);
    });

    for (const [name, media, code, why] of [
      [
        "cannot be used",
        [{ type: "image", image: Buffer.from("<svg/>") }],
        "VERL_AGENT_INTERACTION",
        "no known format",
      ],
      ["name a file", [{ type: "image", image: "/etc/hostname" }], "VERL_AGENT_INTERACTION", "files are not read here"],
      ["are no list", { type: "image", image: BLUE }, "VERL_AGENT_INTERACTION", "not a list of parts"],
      ["hold no part", [null], "VERL_AGENT_INTERACTION", "not a part"],
      [
        "are not understood",
        [{ type: "video", video: BLUE }],
        "VERL_AGENT_MEDIA",
        'the interaction \\"user\\" returned',
      ],
    ] as const) {
      it(`that ${name} end the session with the user's name`, async () => {
        const turn = { ...showingBlue, media } as unknown as InteractionTurn;
        const { tags } = await play("tool_agent", ["red", "blue"], saying([turn, end]));
        expect(errorOf(tags)).to.contain(code).and.contain(why);
      });
    }
  });

  it("a prompt with media that is too long is refused, where one of text loses its beginning", async () => {
    const long = { messages: shownPrompt, promptLength: 8 };
    expect(errorOf((await play("single_turn_agent", ["red"], long)).tags)).to.contain("VERL_DATA_PROMPT_TOO_LONG");
    const { warnings } = await play("single_turn_agent", ["red"], {
      ...long,
      messages: [{ role: "user", content: "which is it?" }],
    });
    expect(warnings.join()).to.contain("its beginning is cut off");
  });

  it("a prompt with media that the model does not understand fails its sessions", async () => {
    const { tags } = await play("single_turn_agent", ["red"], { messages: shownPrompt, kinds: null });
    expect(errorOf(tags)).to.contain("VERL_DATA_NO_PROCESSOR").and.contain("models of the type toy");
  });

  it("a trajectory for people names media where their tokens were", async () => {
    const tool = look(() => ({ text: "seen", media: [{ type: "image", image: BLUE }] }));
    const { row } = await play("tool_agent", [CALL, "blue"], { messages: shownPrompt, tools: [tool] });
    const place = { key: "u_0_0", step: 1, split: "train" } as const;
    const record = trajectoryRecord(row as never, place, tokenizer);
    expect(record.promptText).to.match(/<user>\[image 16x8, \d+ B, [0-9a-f]{8}\]which\?/);
    expect(record.responseText).to.match(/<tool>\[image 8x8, \d+ B, [0-9a-f]{8}\]seen<end>/);
    expect(record.tokens).to.have.length(row?.responseIds.length ?? 0);
    expect(record.tokens.join("")).to.equal(record.responseText);
    expect(record.media).to.deep.equal(row?.multiModalData);
  });

  describe("what a loop returns", () => {
    const limits = { promptLength: 8, responseLength: 3 };
    const ref = { kind: "image" as const, id: "a".repeat(64), mimeType: "image/png", byteLength: 1 };
    const check = (media: readonly PlacedMedia[], responseIds = [20, 21]) =>
      checkOutput(
        output({
          responseIds,
          responseMask: responseIds.map(() => 1 as const),
          responseLogProbs: responseIds.map(() => 0),
          multiModalData: media,
        }),
        limits,
        "here",
      );

    for (const [name, media] of [
      ["beyond the end", [{ ...ref, offset: 3, length: 2 }]],
      [
        "over another",
        [
          { ...ref, offset: 0, length: 2 },
          { ...ref, offset: 1, length: 1 },
        ],
      ],
      ["without tokens", [{ ...ref, offset: 0, length: 0 }]],
      ["without an id", [{ ...ref, id: undefined as never, offset: 0, length: 1 }]],
    ] as const) {
      it(`is refused where a medium stands ${name}`, () => {
        expect(() => check(media)).to.throw("VERL_AGENT_BAD_OUTPUT");
      });
    }

    it("is not cut in the middle of a medium", () => {
      const media = [{ ...ref, offset: 3, length: 3 }];
      const { responseIds, media: left } = check(media, [20, 21, 21, 21, 22]);
      expect([...responseIds]).to.deep.equal([20]);
      expect(left).to.deep.equal([]);
    });
  });
});
