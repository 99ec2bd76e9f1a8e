import { expect } from "chai";
import { agentLoopManager, createAgentLoopManager, type ManagedPrompt } from "../../../core/agent/index.js";
import { MediaStore, mediaPartsOf, type PlacedMedia, RunMedia } from "../../../core/data/index.js";
import type { ChatMessage, EncodedPrompt, LlmClient } from "../../../core/plugin.js";
import { promptTag } from "../../../core/transfer/index.js";
import { createFakeProcessor, createToyTokenizer, ScriptedClient, solidPng } from "../../../testing/index.js";
import { harness, output, task } from "./harness.js";

const tokenizer = createToyTokenizer({ media: true });
const RED = solidPng(16, 8, [255, 0, 0]);
const BLUE = solidPng(8, 8, [0, 0, 255]);
const IMAGE = tokenizer.tokenId("<image>") as number;

const showing = (image: Uint8Array): readonly ChatMessage[] => [
  {
    role: "user",
    content: [
      { type: "image", image: Buffer.from(image).toString("base64") },
      { type: "text", text: "?" },
    ],
  },
];

/** One prompt with a picture, through a manager that does this with it. */
async function play(
  act: (prompt: ManagedPrompt, client: LlmClient) => Promise<void>,
  { messages = showing(RED), promptLength = 64, kinds = ["image"] as readonly string[] } = {},
) {
  const client = new ScriptedClient([{ tokenIds: [...tokenizer.encode("red"), 1] }]);
  const media = new RunMedia({
    store: new MediaStore(),
    processor: kinds.length > 0 ? createFakeProcessor(tokenizer) : null,
    tokenizer,
    model: "models of the type toy",
  });
  const { options, queue, tags, rows } = harness({
    rollout: { n: 1, prompt_length: promptLength, response_length: 64 },
    over: { client, tokenizer, media },
  });
  const config = { ...options.config, trainer: { sample_deadline_s: 10 } } as typeof options.config;
  const own = {
    create: ({ llmClient }: { llmClient: LlmClient }) => ({
      generateSequences: ({ prompts }: { prompts: readonly ManagedPrompt[] }) =>
        Promise.all(prompts.map((prompt) => act(prompt, llmClient).catch((error) => prompt.fail(0, error)))).then(
          () => {},
        ),
    }),
  };
  const source = { reference: "./own.ts#Own", registered: () => agentLoopManager, loadUserModule: async () => own };
  const manager = await createAgentLoopManager(source, { ...options, config });
  await queue.put("train", "a", { tag: promptTag({ globalSteps: 1, draw: 0, attempt: 0 }) }, { attempt: 0 });
  await manager.submit([task("a", { messages: (await media.take(messages)).messages })], {
    partition: "train",
    globalStep: 1,
  });
  await manager.drain();
  return { client, media, row: (await rows()).a_0_0, event: JSON.stringify((await tags()).a) };
}

const answer = ({ promptIds }: Pick<EncodedPrompt, "promptIds">, multiModalData: readonly PlacedMedia[] = []) =>
  output({ promptIds, multiModalData });

describe("a manager of one's own with media", () => {
  it("gets prompts with their media's tokens, and hands on where these stand", async () => {
    const { client, row } = await play(async (prompt, llm) => {
      const { promptIds, media } = await prompt.preparePrompt();
      const request = { requestId: `${prompt.uid}_0`, promptIds, media, sampling: prompt.sampling, seed: 1 };
      const { tokenIds } = await llm.generate(request);
      prompt.deliver(
        0,
        output({
          promptIds,
          responseIds: tokenIds,
          responseMask: tokenIds.map(() => 1 as const),
          responseLogProbs: tokenIds.map(() => 0),
          multiModalData: media,
        }),
      );
    });
    const [{ media = [] }] = client.requests;
    expect(media).to.have.length(1);
    expect(row.multiModalData).to.deep.equal(media);
    expect(tokenizer.decode(Array.from(row.promptIds as Int32Array))).to.equal("<user><image><image>?<end><assistant>");
  });

  it("takes media of later turns in, and reads the bytes of any", async () => {
    const { row, media } = await play(async (prompt) => {
      const first = await prompt.preparePrompt();
      const messages = await prompt.media.take([...first.messages, ...showing(BLUE)]);
      const second = await prompt.preparePrompt(messages);
      expect(Buffer.from(await prompt.media.bytes(second.media[1])).equals(BLUE)).to.equal(true);
      prompt.deliver(0, answer(second, second.media));
    });
    expect((row.multiModalData as unknown as PlacedMedia[]).map(({ length }) => length)).to.deep.equal([2, 1]);
    expect(media.release()).to.equal(1);
  });

  it("stores media as the run knows them, whatever a delivery says of their type and size", async () => {
    const { row } = await play(async (prompt) => {
      const prepared = await prompt.preparePrompt();
      prompt.deliver(
        0,
        answer(
          prepared,
          prepared.media.map((placed) => ({ ...placed, mimeType: "image/../x", byteLength: -1 })),
        ),
      );
    });
    const [placed] = row.multiModalData as unknown as PlacedMedia[];
    expect(placed).to.include({ mimeType: "image/png", byteLength: RED.length, width: 16, height: 8 });
  });

  for (const [name, change, why] of [
    [
      "that the run has not taken in",
      (placed: PlacedMedia) => [{ ...placed, id: "0".repeat(64) }],
      "names the image 00000000, which the run has not taken in",
    ],
    [
      "of another kind",
      (placed: PlacedMedia) => [{ ...placed, kind: "video" as const }],
      "which is a medium of the kind image",
    ],
    ["in another place", (placed: PlacedMedia) => [{ ...placed, offset: placed.offset + 1 }], "has the token"],
    ["over fewer tokens than it has", (placed: PlacedMedia) => [{ ...placed, length: 1 }], "has 2 tokens, not 1"],
    ["twice in one place", (placed: PlacedMedia) => [placed, placed], "before the end of the one before it"],
    ["as nothing", () => [null as unknown as PlacedMedia], "is no reference to a medium"],
    ["no medium where the prompt has a placeholder", () => [], "is the placeholder of a medium of the kind image"],
  ] as const) {
    it(`fails a session that names a medium ${name}, with the row`, async () => {
      const { event } = await play(async (prompt) => {
        const prepared = await prompt.preparePrompt();
        prompt.deliver(0, answer(prepared, change(prepared.media[0])));
      });
      expect(event).to.contain("VERL_AGENT_BAD_OUTPUT").and.contain(why).and.contain("train.jsonl:1");
    });
  }

  it("fails a session whose prompt was encoded without its media", async () => {
    const { event } = await play(async (prompt) => {
      const promptIds = tokenizer.encodeChat(prompt.messages, { addGenerationPrompt: true });
      expect(promptIds.filter((id) => id === IMAGE)).to.have.length(1);
      prompt.deliver(0, answer({ promptIds }));
    });
    expect(event).to.contain("VERL_AGENT_BAD_OUTPUT").and.contain("multiModalData names none there");
  });

  it("may answer without the prompt's media where it sends none of their placeholders", async () => {
    const { row } = await play(async (prompt) =>
      prompt.deliver(0, answer({ promptIds: tokenizer.encode("a red one") })),
    );
    expect(row.score).to.equal(1);
  });

  it("is refused a prompt with media that is too long, and media that the model does not understand", async () => {
    const prepare = async (prompt: ManagedPrompt) => void (await prompt.preparePrompt());
    expect((await play(prepare, { promptLength: 4 })).event)
      .to.contain("VERL_DATA_PROMPT_TOO_LONG")
      .and.contain("train.jsonl:1");
    const video = async (prompt: ManagedPrompt) =>
      void (await prompt.preparePrompt([{ role: "user", content: [{ type: "video", video: "AAAA" }] }]));
    expect((await play(video)).event)
      .to.contain("VERL_DATA_NO_PROCESSOR")
      .and.contain("video");
  });

  it("encodes a list of messages once", async () => {
    const { media } = await play(async (prompt) => {
      const [a, b] = await Promise.all([prompt.preparePrompt(), prompt.preparePrompt()]);
      expect(a.promptIds).to.equal(b.promptIds);
      expect(mediaPartsOf(a.messages)).to.have.length(1);
      prompt.deliver(0, answer(a, a.media));
    });
    expect(media.kinds).to.deep.equal(["image"]);
  });
});
