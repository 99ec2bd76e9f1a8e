import { expect } from "chai";
import {
  type MediaProcessor,
  MediaStore,
  mediaPartsOf,
  placeMedia,
  RunMedia,
  textAlone,
} from "../../../../core/data/index.js";
import type { ChatMessage } from "../../../../core/plugin.js";
import { createFakeProcessor, createToyTokenizer, solidPng } from "../../../../testing/index.js";
import { caught } from "./caught.js";

const tokenizer = createToyTokenizer({ media: true });
const IMAGE = tokenizer.tokenId("<image>") as number;
const RED = solidPng(16, 8, [255, 0, 0]);
const BLUE = solidPng(8, 8, [0, 0, 255]);

const picture = (bytes: Uint8Array) => ({ type: "image", image: bytes });
const user = (...content: object[]): ChatMessage => ({ role: "user", content: content as never });
const runMedia = (over: Partial<MediaProcessor> = {}) =>
  new RunMedia({
    store: new MediaStore(),
    processor: { ...createFakeProcessor(tokenizer), ...over },
    tokenizer,
    model: "models of the type toy",
  });

async function placed(media: RunMedia, messages: readonly ChatMessage[]) {
  const taken = await media.take(messages);
  const ids = tokenizer.encodeChat(taken.messages);
  return { taken, ...placeMedia(ids, mediaPartsOf(taken.messages), taken.tokens) };
}

describe("core/data/media/run-media", () => {
  it("names media by references, and leaves messages without media as they are", async () => {
    const media = runMedia();
    const { messages } = await media.take([user(picture(RED), { type: "text", text: "?" })]);
    const [{ content }] = messages as unknown as readonly { content: { type: string; image?: string }[] }[];
    expect(content.map(({ type }) => type)).to.deep.equal(["image", "text"]);
    expect(content[0].image).to.match(/^sha256:[0-9a-f]{64}$/);
    const plain = [user({ type: "text", text: "?" })];
    expect((await media.take(plain)).messages).to.equal(plain);
    // Taken again, they are what they were.
    expect((await media.take(messages)).messages).to.deep.equal(messages);
  });

  it("puts as many tokens as the processor says in the place of each placeholder", async () => {
    const { ids, media } = await placed(runMedia(), [user(picture(RED), { type: "text", text: "a" }, picture(BLUE))]);
    expect(tokenizer.decode(ids)).to.equal("<user><image><image>a<image><end>");
    expect(media.map(({ offset, length }) => [offset, length])).to.deep.equal([
      [1, 2],
      [4, 1],
    ]);
  });

  it("refuses a text that spells a placeholder: it stands for no medium", async () => {
    const media = runMedia();
    const { messages, tokens } = await media.take([user(picture(RED), { type: "text", text: "<image>" })]);
    const error = await caught(() => placeMedia(tokenizer.encodeChat(messages), mediaPartsOf(messages), tokens));
    expect(error.code).to.equal("VERL_DATA_MEDIA_MARKS");
    expect(error.message).to.contain("2 images").and.contain("1 image");
  });

  it("refuses a template that leaves a medium out", async () => {
    const media = runMedia();
    const { messages, tokens } = await media.take([user(picture(RED))]);
    const error = await caught(() => placeMedia(tokenizer.encode("nothing"), mediaPartsOf(messages), tokens));
    expect(error.message).to.contain("no media").and.contain("1 image");
  });

  it("refuses a kind that the processor does not take, and everything where there is no processor", async () => {
    const sound = [user({ type: "audio", audio: RED })];
    const error = await caught(runMedia().take(sound));
    expect(error.code).to.equal("VERL_DATA_NO_PROCESSOR");
    expect(error.message).to.contain("a sound").and.contain("takes image");
    const { code, message } = await caught(textAlone(tokenizer, "models of the type llama").take(sound));
    expect(code).to.equal("VERL_DATA_NO_PROCESSOR");
    expect(message).to.contain("models of the type llama");
  });

  it("refuses kinds that an engine or a server of the run does not take, with the reason", async () => {
    const media = runMedia();
    media.restrict([], "the engine understands text alone");
    expect(media.kinds).to.deep.equal([]);
    expect((await caught(media.take([user(picture(RED))]))).message).to.contain("the engine understands text alone");
  });

  it("asks the processor once for a medium that many messages hold", async () => {
    const asked: string[] = [];
    const own = createFakeProcessor(tokenizer);
    const media = runMedia({
      tokens: (ref, bytes) => {
        asked.push(ref.id);
        return own.tokens(ref, bytes);
      },
    });
    await Promise.all([media.take([user(picture(RED), picture(RED))]), media.take([user(picture(RED))])]);
    await media.take([user(picture(RED))]);
    expect(asked).to.have.length(1);
  });

  it("keeps inputs, and computes them anew for what was not kept", async () => {
    const media = runMedia();
    const {
      media: [ref],
    } = await placed(media, [user(picture(RED))]);
    const inputs = await media.inputs(ref);
    expect([...inputs.mean_colour.data]).to.deep.equal([1, 0, 0]);
    expect(await media.inputs(ref)).to.equal(inputs);
  });

  it("a medium that the processor cannot decode is named", async () => {
    const media = runMedia({
      tokens() {
        throw new Error("too few scan lines");
      },
    });
    const error = await caught(media.take([user(picture(RED))]));
    expect(error.code).to.equal("VERL_DATA_MEDIA");
    expect(error.message).to.contain("too few scan lines");
  });

  it("ids outside of the vocabulary are the processor's fault", async () => {
    for (const ids of [[], [tokenizer.vocabSize], [-1]]) {
      const error = await caught(runMedia({ tokens: () => ids }).take([user(picture(RED))]));
      expect(error.message).to.contain("processor's author");
    }
  });

  for (const placeholders of [{ image: "<|nowhere|>" }, { image: "<image>", video: "<image>" }]) {
    it(`refuses placeholders that cannot be told: ${Object.values(placeholders).join(", ")}`, async () => {
      expect((await caught(() => runMedia({ placeholders }))).code).to.equal("VERL_DATA_NO_PROCESSOR");
    });
  }

  it("options of single media are refused: sampling and training would differ", async () => {
    const error = await caught(runMedia().take([user({ type: "image", image: RED, max_pixels: 100 })]));
    expect(error.message).to.contain("max_pixels").and.contain("data.mm_processor_kwargs");
  });

  it("knows the ids of its placeholders", () => {
    expect([...runMedia().placeholders]).to.deep.equal([[IMAGE, "image"]]);
  });
});
