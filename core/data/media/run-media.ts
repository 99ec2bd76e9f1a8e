import { isVerlError, reasonOf } from "../../host/errors.js";
import type { CallOptions } from "../../host/types.js";
import { dataErrors } from "../errors.js";
import type { ChatMessage, Tokenizer } from "../tokenizer.js";
import { BoundedCache } from "./bounded-cache.js";
import {
  idOfReference,
  MEDIA_KINDS,
  type MediaKind,
  type MediaLibrary,
  type MediaReader,
  type MediaRef,
  mediaPartsOf,
  referenceTo,
} from "./media.js";
import { MediaStore, type TakeOptions } from "./media-store.js";
import type { MediaTokens, PreparedMedia } from "./media-tokens.js";
import type { MediaInputs, MediaProcessor } from "./processor.js";
import { takeMedia } from "./take-media.js";

/** Messages whose media were taken in, and what encoding them takes. */
export interface TakenMessages {
  readonly messages: readonly ChatMessage[];
  readonly tokens: MediaTokens;
}

/** Takes in the media of conversations. */
export interface MediaIntake extends MediaLibrary {
  /** Kinds that the model understands. */
  readonly kinds: readonly MediaKind[];
  /** Placeholder ids. */
  readonly placeholders: ReadonlyMap<number, MediaKind>;
  /** Their texts. */
  readonly placeholderTexts: readonly string[];
  /**
   * @throws VERL_DATA_NO_PROCESSOR for a kind that the model does not understand, VERL_DATA_MEDIA for a medium that cannot be used
   */
  take(messages: readonly ChatMessage[], options?: TakeOptions): Promise<TakenMessages>;
}

/** Media by reference, as bytes and as a model's inputs. */
export interface MediaInputsReader extends MediaReader {
  /** Placeholder ids. */
  readonly placeholders: ReadonlyMap<number, MediaKind>;
  /** Computed anew where it was not kept. */
  inputs(media: MediaRef, options?: CallOptions): Promise<MediaInputs>;
}

export interface RunMediaOptions {
  readonly store: MediaStore;
  /** Null: the model understands text alone. */
  readonly processor: MediaProcessor | null;
  readonly tokenizer: Pick<Tokenizer, "tokenId" | "vocabSize">;
  /** For messages: `models of the type qwen3`. */
  readonly model: string;
}

/** Media whose ids are kept, and bytes of inputs. */
const KEPT_IDS = 4096;
const KEPT_INPUT_BYTES = 2 ** 28;

/** The media of a run, as its model sees them. */
export class RunMedia implements MediaIntake, MediaInputsReader {
  readonly #placeholders: ReadonlyMap<number, MediaKind>;
  #allowed: readonly MediaKind[] = MEDIA_KINDS;
  #why: string | null = null;
  readonly #ids = new BoundedCache<Promise<readonly number[]>>(KEPT_IDS, () => 1);
  readonly #inputs = new BoundedCache<MediaInputs>(KEPT_INPUT_BYTES, bytesOf);

  constructor(private readonly options: RunMediaOptions) {
    this.#placeholders = placeholderIds(options);
  }

  get kinds(): readonly MediaKind[] {
    return this.#allowed.filter((kind) => this.options.processor?.placeholders[kind] !== undefined);
  }

  get placeholders(): ReadonlyMap<number, MediaKind> {
    return new Map([...this.#placeholders].filter(([, kind]) => this.#allowed.includes(kind)));
  }

  get placeholderTexts(): readonly string[] {
    return this.kinds.flatMap((kind) => this.options.processor?.placeholders[kind] ?? []);
  }

  get processor(): MediaProcessor | null {
    return this.options.processor;
  }

  async take(messages: readonly ChatMessage[], options: TakeOptions = {}): Promise<TakenMessages> {
    const { placeholders } = this;
    const parts = mediaPartsOf(messages);
    const strange = parts.find(({ kind }) => !this.kinds.includes(kind));
    if (strange) throw this.#notUnderstood(strange.kind);
    if (parts.length === 0) return { messages, tokens: { placeholders, find: () => null } };
    const taken = await takeMedia(messages, this.options.store, options);
    const prepared = new Map<string, PreparedMedia>();
    for (const { value } of mediaPartsOf(taken)) {
      const ref = this.find(value);
      if (ref) prepared.set(referenceTo(ref), { ref, ids: await this.#tokens(ref) });
    }
    return { messages: taken, tokens: { placeholders, find: (reference) => prepared.get(String(reference)) ?? null } };
  }

  /** A file that the host itself has written. */
  async takeFile(kind: MediaKind, name: string, options: TakeOptions & { readonly root: string }): Promise<MediaRef> {
    if (!this.kinds.includes(kind)) throw this.#notUnderstood(kind);
    return this.options.store.take(kind, { path: name }, options);
  }

  /** An engine or a server of the run takes these kinds alone: what else tools return is refused at once, with the reason. */
  restrict(kinds: readonly MediaKind[], why: string): void {
    if (this.kinds.every((kind) => kinds.includes(kind))) return;
    this.#allowed = this.#allowed.filter((kind) => kinds.includes(kind));
    this.#why = why;
  }

  find(reference: unknown): MediaRef | null {
    return this.options.store.find(idOfReference(reference) ?? "");
  }

  bytes(media: Pick<MediaRef, "id">, options?: CallOptions): Promise<Uint8Array> {
    return this.options.store.bytes(media, options);
  }

  async inputs(media: MediaRef, options?: CallOptions): Promise<MediaInputs> {
    const known = this.#inputs.get(media.id);
    if (known) return known;
    const { processor } = this.options;
    if (!processor) throw this.#notUnderstood(media.kind);
    const bytes = await this.bytes(media, options);
    const inputs = await this.#attempt(media, async () => processor.inputs(media, bytes, options));
    this.#inputs.set(media.id, inputs);
    return inputs;
  }

  /** See {@link MediaStore.release}. */
  release(): number {
    return this.options.store.release();
  }

  async dispose(): Promise<void> {
    await this.options.processor?.dispose?.();
  }

  #tokens(ref: MediaRef): Promise<readonly number[]> {
    const known = this.#ids.get(ref.id);
    if (known) return known;
    const ids = this.#newTokens(ref);
    this.#ids.set(ref.id, ids);
    // What failed may work for another session.
    ids.catch(() => this.#ids.delete(ref.id));
    return ids;
  }

  /** For whoever asks next, too: one caller's abort does not end it. */
  async #newTokens(ref: MediaRef): Promise<readonly number[]> {
    const { processor, tokenizer } = this.options;
    if (!processor) throw this.#notUnderstood(ref.kind);
    const bytes = await this.bytes(ref);
    const ids = await this.#attempt(ref, async () => processor.tokens(ref, bytes));
    const wrong = ids.find((id) => !(Number.isInteger(id) && id >= 0 && id < tokenizer.vocabSize));
    if (ids.length > 0 && wrong === undefined) return ids;
    throw dataErrors.VERL_DATA_MEDIA({
      what: `the processor gave ${ids.length === 0 ? "no tokens" : `the token id ${wrong}`} for the ${ref.kind}`,
      fix: "Report it to the processor's author.",
    });
  }

  async #attempt<T>({ kind, id }: MediaRef, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isVerlError(error)) throw error;
      throw dataErrors.VERL_DATA_MEDIA({
        what: `the ${kind} ${id.slice(0, 8)} cannot be used: ${reasonOf(error)}`,
        where: this.options.store.placeOf(id),
        cause: error,
      });
    }
  }

  #notUnderstood(kind: MediaKind): Error {
    const { kinds } = this;
    if (this.#why !== null)
      return dataErrors.VERL_DATA_NO_PROCESSOR({
        what: `the messages hold a medium of the kind ${kind}`,
        why: this.#why,
      });
    return dataErrors.VERL_DATA_NO_PROCESSOR({
      what: `the messages hold ${kind === "audio" ? "a sound" : `${kind === "image" ? "an" : "a"} ${kind}`}, which ${this.options.model} do not understand here`,
      why:
        kinds.length > 0
          ? `their processor takes ${kinds.join(", ")}`
          : "no processor is registered that makes their tokens and inputs of media",
    });
  }
}

/** Where nothing but text is understood; `model` names what is to understand it. */
export function textAlone(tokenizer: RunMediaOptions["tokenizer"], model = "the models of this run"): RunMedia {
  return new RunMedia({ store: new MediaStore(), processor: null, tokenizer, model });
}

function placeholderIds({ processor, tokenizer }: RunMediaOptions): ReadonlyMap<number, MediaKind> {
  const ids = new Map<number, MediaKind>();
  for (const kind of MEDIA_KINDS) {
    const text = processor?.placeholders[kind];
    if (text === undefined) continue;
    const id = tokenizer.tokenId(text);
    if (id === null || ids.has(id)) {
      throw dataErrors.VERL_DATA_NO_PROCESSOR({
        what: `the processor's placeholder ${JSON.stringify(text)} of the kind ${kind} is ${id === null ? "no token of the model's tokenizer" : "that of another kind too"}`,
        fix: "Use the processor and the tokenizer that belong to the model.",
      });
    }
    ids.set(id, kind);
  }
  return ids;
}

function bytesOf(inputs: MediaInputs): number {
  return Object.values(inputs).reduce((sum, { data }) => sum + data.byteLength, 64);
}
