import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { z } from "zod";
import {
  collapsedPrompt,
  composeReplica,
  MediaStore,
  mediaUrls,
  type ReplicaBackend,
  RunMedia,
  type TokenOutput,
} from "../../../core/plugin.js";
import { createFakeProcessor, createToyTokenizer, solidPng } from "../../../testing/index.js";

const tokenizer = createToyTokenizer({ media: true });
const IMAGE = tokenizer.tokenId("<image>") as number;

/** The fields of SGLang's `GenerateReqInput` that a request of ours has, and no others. */
const BODY = z.strictObject({
  rid: z.string(),
  input_ids: z.array(z.int().min(0)).min(1),
  image_data: z.array(z.string().startsWith("data:image/")).optional(),
  mm_content_hashes: z.array(z.string().regex(/^sha256:[0-9a-f]{64}$/)).optional(),
  sampling_params: z.strictObject({
    max_new_tokens: z.int().min(1),
    temperature: z.number(),
    top_p: z.number(),
    top_k: z.int(),
    stop_token_ids: z.array(z.int()).optional(),
  }),
  return_logprob: z.literal(true),
});

/** Answers as SGLang does, after the checks that its processor would fail. */
function imitatedServer(received: z.infer<typeof BODY>[]): Promise<Server> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => void pieces.push(piece));
    request.on("end", () => {
      try {
        const body = BODY.parse(JSON.parse(Buffer.concat(pieces).toString("utf8")));
        const { input_ids, image_data = [], mm_content_hashes = [] } = body;
        const marks = input_ids.filter((id) => id === IMAGE).length;
        if (marks !== image_data.length) throw new Error(`${marks} placeholders for ${image_data.length} images`);
        for (const [i, url] of image_data.entries()) {
          const bytes = Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
          const hash = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
          if (mm_content_hashes[i] !== hash) throw new Error(`image ${i} has another hash`);
        }
        received.push(body);
        const logprobs = [[-0.25, 42, null]];
        const meta_info = {
          id: body.rid,
          finish_reason: { type: "stop", matched: 1 },
          output_token_logprobs: logprobs,
        };
        response.end(JSON.stringify({ text: "", output_ids: [42], meta_info }));
      } catch (error) {
        response.statusCode = 400;
        response.end(JSON.stringify({ error: { message: String(error) } }));
      }
    });
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** The part of a rollout for such a server that sends requests. */
function sglangBackend(url: string, media: RunMedia): ReplicaBackend {
  return {
    vocabSize: tokenizer.vocabSize,
    capabilities: {
      sleepLevels: [],
      adapters: false,
      deltaWeights: false,
      priority: false,
      http: true,
      logProbs: true,
      media: ["image"],
    },
    hasWeights: true,
    weightVersion: 3,
    launch() {},
    async generate(request, signal): Promise<TokenOutput> {
      const { image } = await mediaUrls(request, media, { signal });
      const { temperature, topP, topK, stopTokenIds } = request.sampling;
      const response = await fetch(`${url}/generate`, {
        method: "POST",
        signal,
        body: JSON.stringify({
          rid: request.requestId,
          input_ids: collapsedPrompt(request, media.placeholders),
          ...(image ? { image_data: image.urls, mm_content_hashes: image.hashes } : {}),
          sampling_params: {
            max_new_tokens: request.maxTokens,
            temperature,
            top_p: topP,
            top_k: topK,
            ...(stopTokenIds ? { stop_token_ids: stopTokenIds } : {}),
          },
          return_logprob: true,
        }),
      });
      const answer = (await response.json()) as {
        readonly output_ids: number[];
        readonly error?: { readonly message: string };
        readonly meta_info: { readonly output_token_logprobs: [number, number, null][] };
      };
      if (answer.error) throw new Error(answer.error.message);
      const { output_ids: tokenIds, meta_info } = answer;
      const logProbs = meta_info.output_token_logprobs.map(([logProb]) => logProb);
      return { tokenIds, logProbs, stopReason: "stop", minWeightVersion: 3, maxWeightVersion: 3 };
    },
    release() {},
    acquire() {},
    clearKvCache() {},
    dispose() {},
  };
}

describe("core/rollout/media-request", () => {
  const media = new RunMedia({
    store: new MediaStore(),
    processor: createFakeProcessor(tokenizer),
    tokenizer,
    model: "toys",
  });
  const pngs = [solidPng(24, 8, [255, 0, 0]), solidPng(8, 8, [0, 0, 255])];

  /** Ids of two images between texts, as loops send them. */
  async function request() {
    const { messages, tokens } = await media.take([
      { role: "user", content: pngs.map((image) => ({ type: "image", image })) },
    ]);
    const parts = messages[0].content as unknown as readonly { readonly image: string }[];
    const [first, second] = parts.map(({ image }) => tokens.find(image)!);
    return {
      requestId: "u_0",
      promptIds: [3, ...first.ids, ...second.ids, 20, 4],
      media: [
        { ...first.ref, offset: 1, length: first.ids.length },
        { ...second.ref, offset: 1 + first.ids.length, length: second.ids.length },
      ],
      seed: 1,
      sampling: { temperature: 1, topP: 1, topK: -1, logProbs: true, maxTokens: 4 },
    };
  }

  it("leaves one placeholder for each medium, also of two that stand side by side", async () => {
    const sent = await request();
    expect(sent.promptIds).to.deep.equal([3, IMAGE, IMAGE, IMAGE, IMAGE, 20, 4]);
    expect(collapsedPrompt(sent, media.placeholders)).to.deep.equal([3, IMAGE, IMAGE, 20, 4]);
    expect(collapsedPrompt({ promptIds: [1, 2] }, media.placeholders)).to.deep.equal([1, 2]);
  });

  it("gives data URLs of the bytes as they are, in the order of the prompt", async () => {
    const { image, video } = await mediaUrls(await request(), media);
    expect(image?.urls.map((url) => Buffer.from(url.slice(url.indexOf(",") + 1), "base64"))).to.deep.equal(
      pngs.map((png) => Buffer.from(png)),
    );
    expect(video).to.equal(undefined);
  });

  it("makes requests that an SGLang server understands, with media and without", async () => {
    const received: z.infer<typeof BODY>[] = [];
    const server = await imitatedServer(received);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = { name: "sglang", replicaRank: 0, maxModelLen: 64, responseLength: 8, createDecoder: null };
    const replica = composeReplica(sglangBackend(url, media), options);
    try {
      await replica.launch();
      const { tokenIds, logProbs } = await replica.generate(await request());
      expect([tokenIds, logProbs]).to.deep.equal([[42], [-0.25]]);
      const { media: _, ...text } = await request();
      await replica.generate({ ...text, promptIds: [3, 20, 4] });
      expect(received.map(({ image_data = [] }) => image_data.length)).to.deep.equal([2, 0]);
      // A prompt that was not collapsed has more placeholders than images.
      const raw = { ...(await request()), promptIds: [IMAGE, IMAGE, 4], media: [] };
      const error = await replica.generate(raw).catch((reason: unknown) => reason);
      expect(String(error)).to.contain("2 placeholders for 0 images");
    } finally {
      await replica.dispose();
      server.close();
      server.closeAllConnections();
    }
  });
});
