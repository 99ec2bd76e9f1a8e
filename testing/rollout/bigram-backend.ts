import type { NamedTensor, PlacedMedia } from "../../core/data/index.js";
import {
  type CheckedRequest,
  GrowingResponse,
  type ReplicaBackend,
  type RolloutCapabilities,
  type RolloutOptions,
  rolloutErrors,
  type TokenOutput,
  TokenSampler,
  type WeightUpdate,
} from "../../core/rollout/index.js";
import { PICTURE_CHANNELS, PICTURE_INPUT } from "../data/fake-processor.js";
import { PICTURE_WEIGHT, pictureLogits } from "../engine/picture-model.js";

/** The only parameter of a bigram model: logits of the next token are the previous token's row, `[V, V]`. */
export const BIGRAM_WEIGHT = "bigram.weight";

/**
 * Serves a bigram model, with `pictures` the fake model that sees them. One token of every request per turn of the event loop, so
 * that requests overlap.
 */
export class BigramBackend implements ReplicaBackend {
  readonly capabilities: RolloutCapabilities;
  weightVersion = -1;
  private table_VV: Float32Array | null;
  private readonly sampler: TokenSampler;

  constructor(
    readonly vocabSize: number,
    private readonly options: Pick<RolloutOptions, "eosTokenIds" | "createDecoder" | "media"> & {
      readonly pictures?: boolean;
    },
    initial_VV: Float32Array | null,
  ) {
    this.capabilities = {
      sleepLevels: [1, 2],
      adapters: false,
      deltaWeights: false,
      priority: false,
      http: false,
      logProbs: true,
      ...(options.pictures ? { media: ["image"] } : {}),
    };
    this.table_VV = initial_VV;
    this.sampler = new TokenSampler(vocabSize);
  }

  get hasWeights(): boolean {
    return this.table_VV !== null;
  }

  launch(): void {}

  async generate(request: CheckedRequest, signal: AbortSignal): Promise<TokenOutput> {
    const response = new GrowingResponse(request, this.options);
    const { promptIds, media = [] } = request;
    const colour = await this.colourOf(media.at(-1));
    let previous = promptIds[promptIds.length - 1];
    for (;;) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (signal.aborted) return response.output("aborted", this.weightVersion);
      const row = pictureLogits(this.table_VV as Float32Array, this.vocabSize, previous, colour);
      const ended = response.draw(row, this.sampler, this.weightVersion);
      if (ended) return response.output(ended, this.weightVersion);
      previous = response.tokenIds[response.tokenIds.length - 1];
    }
  }

  private async colourOf(picture: PlacedMedia | undefined): Promise<Float32Array | null> {
    const inputs = picture && (await this.options.media?.inputs(picture));
    return (inputs?.[PICTURE_INPUT].data as Float32Array | undefined) ?? null;
  }

  release(tags: readonly string[]): void {
    if (!tags.includes("weights")) return;
    this.table_VV = null;
    this.weightVersion = -1;
  }

  acquire(): void {}

  clearKvCache(): void {}

  async updateWeights(weights: AsyncIterable<NamedTensor>, { version, signal }: WeightUpdate): Promise<void> {
    const { vocabSize } = this;
    const own = this.options.pictures ? PICTURE_WEIGHT : BIGRAM_WEIGHT;
    const ownShape = [vocabSize + (this.options.pictures ? PICTURE_CHANNELS : 0), vocabSize];
    let table: Float32Array | null = null;
    for await (const { name, dtype, shape, data } of weights) {
      signal?.throwIfAborted();
      const fits =
        name === own &&
        dtype === "f32" &&
        shape.length === 2 &&
        shape.every((n, d) => n === ownShape[d]) &&
        data.length === ownShape[0] * ownShape[1];
      if (!fits || table) {
        const problem = table ? "came twice" : "does not fit";
        throw rolloutErrors.VERL_ROLLOUT_BAD_WEIGHTS({
          what: `Tensor ${name} (${dtype}, [${shape}]) ${problem}; the model has ${own} (f32, [${ownShape.join(", ")}])`,
        });
      }
      table = Float32Array.from(data as Float32Array);
    }
    if (!table) throw rolloutErrors.VERL_ROLLOUT_BAD_WEIGHTS({ what: `Tensor ${own} is missing from the update` });
    this.table_VV = table;
    this.weightVersion = version;
  }

  dispose(): void {
    this.table_VV = null;
  }
}
