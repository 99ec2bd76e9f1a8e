import type { CallOptions } from "../../host/types.js";
import type { ChatContentPart, ChatMessage } from "../tokenizer.js";

/** What a model may be shown beside text. */
export type MediaKind = "image" | "video" | "audio";

export const MEDIA_KINDS: readonly MediaKind[] = ["image", "video", "audio"];

/** Names a medium by its content. Plain data: bytes stay with a {@link MediaReader} and go nowhere with it. */
export interface MediaRef {
  readonly kind: MediaKind;
  /** SHA-256 of the bytes, hexadecimal: equal media have equal ids. */
  readonly id: string;
  readonly mimeType: string;
  readonly byteLength: number;
  /** Of images, in pixels. */
  readonly width?: number;
  readonly height?: number;
}

/** A medium in a sequence of tokens: `length` tokens from `offset` on stand for it. */
export interface PlacedMedia extends MediaRef {
  readonly offset: number;
  readonly length: number;
}

/** Gives the bytes that a reference names. */
export interface MediaReader {
  bytes(media: Pick<MediaRef, "id">, options?: CallOptions): Promise<Uint8Array>;
}

/** Knows what was taken in. */
export interface MediaLibrary extends MediaReader {
  /** What a reference (`sha256:…`) names; null where nothing of it is held. */
  find(reference: unknown): MediaRef | null;
}

const REFERENCE = /^sha256:([0-9a-f]{64})$/;

/** How a message's part names a medium that was taken in: `{type: "image", image: "sha256:…"}`. */
export const referenceTo = ({ id }: Pick<MediaRef, "id">): string => `sha256:${id}`;

/** The id that such a reference names; null for anything else. */
export function idOfReference(value: unknown): string | null {
  return typeof value === "string" ? (REFERENCE.exec(value)?.[1] ?? null) : null;
}

/** Types under which agents, clients and data sets write parts, and what they hold. */
const KIND_OF_TYPE: Readonly<Record<string, MediaKind>> = {
  image: "image",
  image_url: "image",
  input_image: "image",
  video: "video",
  video_url: "video",
  input_video: "video",
  audio: "audio",
  audio_url: "audio",
  input_audio: "audio",
};

/** The kind of medium that a content part holds; null for text and everything else. */
export function mediaKindOf({ type }: Pick<ChatContentPart, "type">): MediaKind | null {
  return Object.hasOwn(KIND_OF_TYPE, type) ? KIND_OF_TYPE[type] : null;
}

/** What a part of that kind holds, in whatever form; undefined where it names none. */
export function mediaValueOf(part: ChatContentPart, kind: MediaKind): unknown {
  const members = part as Readonly<Record<string, unknown>>;
  return members[part.type] ?? members[kind] ?? members.url ?? members.data;
}

/** A part with its kind, in the order in which they stand in the messages. */
export interface MediaPart {
  readonly message: number;
  readonly kind: MediaKind;
  readonly value: unknown;
}

export function mediaPartsOf(messages: readonly ChatMessage[]): MediaPart[] {
  return messages.flatMap(({ content }, message) =>
    (Array.isArray(content) ? (content as readonly ChatContentPart[]) : []).flatMap((part): MediaPart[] => {
      const kind = mediaKindOf(part);
      return kind === null ? [] : [{ message, kind, value: mediaValueOf(part, kind) }];
    }),
  );
}

/** A medium for people: `[image 640x480, 34 KiB, 3f2a91c0]`. */
export function mediaLabel({ kind, id, byteLength, width, height }: MediaRef): string {
  const size = width === undefined ? "" : ` ${width}x${height}`;
  return `[${kind}${size}, ${byteLength < 1024 ? `${byteLength} B` : `${Math.round(byteLength / 1024)} KiB`}, ${id.slice(0, 8)}]`;
}
