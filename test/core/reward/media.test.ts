import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { type MediaRef, MediaStore, readableMedium } from "../../../core/data/index.js";
import { chatMessages, chatPart } from "../../../core/plugin.js";
import {
  createBatchRewardManager,
  createJudge,
  createModelRewardManager,
  createNaiveRewardManager,
  type RewardFunction,
  type RewardInput,
  type RewardMedium,
} from "../../../core/reward/index.js";
import { withTracer } from "../../../core/tracing/index.js";
import { createToyTokenizer, RecordingTracer, solidPng } from "../../../testing/index.js";
import { managerOptions, rewardInput } from "./input.js";
import { completion, HttpServer } from "./servers/http-server.js";

const RED = solidPng(16, 8, [255, 0, 0]);
const BLUE = solidPng(8, 8, [0, 0, 255]);
const url = (png: Uint8Array) => `data:image/png;base64,${Buffer.from(png).toString("base64")}`;

/** A trajectory whose prompt shows a red picture and whose tool a blue one. */
async function shown() {
  const media = new MediaStore();
  const refs: RewardMedium[] = [
    { ...(await media.take("image", { bytes: RED })), place: "prompt" },
    { ...(await media.take("image", { bytes: BLUE })), place: "response" },
  ];
  return { media, input: rewardInput({ media: refs }) };
}

describe("media in rewards", () => {
  const seen: RewardFunction = async ({ media }) => {
    const bytes = await Promise.all(media.map((medium) => medium.bytes()));
    return { score: media.length, sizes: bytes.map(({ length }) => length), places: media.map(({ place }) => place) };
  };
  const expected = { score: 2, sizes: [RED.length, BLUE.length], places: ["prompt", "response"] };

  it("are given to functions, with their bytes when these are asked for", async () => {
    const { media, input } = await shown();
    const manager = createNaiveRewardManager(managerOptions({ media, customFunction: seen }));
    expect((await manager.score(input)).extra).to.deep.equal(expected);
  });

  it("are given to functions that take lists", async () => {
    const { media, input } = await shown();
    const list = async (samples: Parameters<RewardFunction>[0][]) => Promise.all(samples.map(seen));
    const options = managerOptions({ media, customFunction: list as unknown as RewardFunction });
    expect((await createBatchRewardManager(options).score(input)).extra).to.deep.equal(expected);
  });

  it("are an empty list for texts", async () => {
    const manager = createNaiveRewardManager(managerOptions({ customFunction: seen }));
    expect((await manager.score(rewardInput())).score).to.equal(0);
  });

  it("that have changed on disk since are the failure of that score, with file and row", async () => {
    const file = path.join(tmpdir(), `verl-media-${process.pid}.png`);
    await writeFile(file, RED);
    const media = new MediaStore();
    const ref = await media.take("image", { path: path.basename(file) }, { root: tmpdir() });
    await writeFile(file, BLUE);
    const manager = createNaiveRewardManager(managerOptions({ media, customFunction: seen }));
    const result = await manager.score(rewardInput({ media: [{ ...ref, place: "prompt" }] }));
    await rm(file);
    expect(result.outcome).to.equal("error");
    expect(result.message).to.contain("VERL_DATA_MEDIA").and.contain("has changed").and.contain("train.jsonl:12");
  });

  it("are refused by reward models, which read texts alone", async () => {
    const { input } = await shown();
    const model = { start: async () => {}, score: async () => 1, sleep: async () => {}, dispose: async () => {} };
    const tokenizer = createToyTokenizer();
    const manager = createModelRewardManager({ model, tokenizer }, { ...managerOptions(), tokenizer });
    const inMessages: RewardInput = rewardInput({
      messages: [{ role: "user", content: [{ type: "image", image: "sha256:0" }] }],
    });
    for (const each of [input, inMessages]) {
      const { outcome, message } = await manager.score(each);
      expect(outcome).to.equal("error");
      expect(message).to.contain("VERL_REWARD_MODEL_UNFIT").and.contain("image").and.contain("train.jsonl:12");
    }
    expect((await manager.score(rewardInput())).score).to.equal(1);
  });

  describe("for judges", () => {
    let server: HttpServer;
    beforeEach(async () => {
      server = await HttpServer.start(() => completion("7"));
    });
    afterEach(() => server[Symbol.asyncDispose]());
    const judge = () => createJudge({ addresses: [server.address], model: "judge", maxTries: 1 });
    const sent = () => server.received[0].body.messages as { role: string; content: unknown }[];
    const of = async (png: Uint8Array) => {
      const store = new MediaStore();
      return readableMedium(await store.take("image", { bytes: png }), store);
    };

    it("stand as data URLs before the text of the last user message where a call asks for it", async () => {
      const messages = [
        { role: "system", content: "Judge." },
        { role: "user", content: "Earlier." },
        { role: "assistant", content: "Yes?" },
        { role: "user", content: "Which colours?" },
      ];
      const { text } = await judge().chat({ messages }, { media: [await of(RED), await of(BLUE)] });
      expect(text).to.equal("7");
      expect(sent().slice(0, 3)).to.deep.equal(messages.slice(0, 3));
      expect(sent()[3]).to.deep.equal({
        role: "user",
        content: [
          { type: "image_url", image_url: { url: url(RED) } },
          { type: "image_url", image_url: { url: url(BLUE) } },
          { type: "text", text: "Which colours?" },
        ],
      });
    });

    it("stand where a function puts them among the parts of a message", async () => {
      const content = [
        { type: "text", text: "First:" },
        await chatPart(await of(RED)),
        { type: "text", text: "right?" },
      ];
      await judge().chat({ messages: [{ role: "user", content }] });
      expect(sent()[0].content).to.deep.equal([
        content[0],
        { type: "image_url", image_url: { url: url(RED) } },
        content[2],
      ]);
    });

    it("have a message of their own where no user speaks", async () => {
      await judge().chat({ messages: [{ role: "system", content: "Judge." }] }, { media: [await of(RED)] });
      expect(sent()[1]).to.deep.equal({ role: "user", content: [{ type: "image_url", image_url: { url: url(RED) } }] });
    });

    it("are refused where a call names others than those that functions get", async () => {
      for (const media of [["picture.png"], await of(RED), [null]]) {
        const failed = await judge()
          .chat({ messages: [{ role: "user", content: "?" }] }, { media: media as never })
          .catch((error: unknown) => error);
        expect(String(failed)).to.contain("media").and.contain("as functions get them");
      }
      expect(server.received).to.deep.equal([]);
    });

    it("are not sent where nobody asks for it", async () => {
      await judge().chat({ messages: [{ role: "user", content: "A text." }] });
      expect(sent()).to.deep.equal([{ role: "user", content: "A text." }]);
    });

    it("take the places of references in a conversation that is handed on", async () => {
      const red = await of(RED);
      const messages = [
        {
          role: "user",
          content: [
            { type: "image", image: `sha256:${red.id}` },
            { type: "text", text: "?" },
          ],
        },
      ];
      const [message] = await chatMessages(messages, [red]);
      expect(message.content).to.deep.equal([
        { type: "image_url", image_url: { url: url(RED) } },
        { type: "text", text: "?" },
      ]);
    });

    it("are named in traces, whose texts hold none of their bytes", async () => {
      const tracer = new RecordingTracer(true);
      const red = await of(RED);
      const content = [await chatPart(red), { type: "text", text: "Which?" }];
      await withTracer(tracer, () => judge().chat({ messages: [{ role: "user", content }] }, { media: [red] }));
      const text = JSON.stringify(tracer.roots.map(({ attributes }) => attributes));
      expect(text)
        .to.contain(`[image 16x8, ${RED.length} B, ${red.id.slice(0, 8)}]`)
        .and.contain("Which?");
      expect(text).to.not.contain("base64");
    });

    for (const [mimeType, part] of [
      ["audio/wav", { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }],
      ["audio/flac", { type: "audio_url", audio_url: { url: "data:audio/flac;base64,UklGRg==" } }],
      ["video/mp4", { type: "video_url", video_url: { url: "data:video/mp4;base64,UklGRg==" } }],
    ] as const) {
      it(`are parts that servers know: ${mimeType}`, async () => {
        const ref = { kind: mimeType.slice(0, 5), id: "0", mimeType, byteLength: 4 } as unknown as MediaRef;
        const reader = { bytes: async () => new Uint8Array(Buffer.from("RIFF")) };
        expect(await chatPart(readableMedium(ref, reader))).to.deep.equal(part);
      });
    }
  });
});
