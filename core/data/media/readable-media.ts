import type { CallOptions } from "../../host/types.js";
import type { ChatContentPart, ChatMessage } from "../tokenizer.js";
import { idOfReference, type MediaReader, type MediaRef, mediaKindOf, mediaValueOf } from "./media.js";

/** A medium for code that looks at it: what is known of it, and its bytes when they are asked for. */
export interface ReadableMedium extends MediaRef {
  bytes(options?: CallOptions): Promise<Uint8Array>;
  /** `data:image/png;base64,…` */
  dataUrl(options?: CallOptions): Promise<string>;
}

export function readableMedium<R extends MediaRef>(ref: R, reader: MediaReader): R & ReadableMedium {
  const bytes = (options?: CallOptions) => reader.bytes(ref, options);
  return { ...ref, bytes, dataUrl: async (options) => dataUrl(ref, await bytes(options)) };
}

export function dataUrl({ mimeType }: Pick<MediaRef, "mimeType">, bytes: Uint8Array): string {
  return `data:${mimeType};base64,${base64(bytes)}`;
}

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

/**
 * A medium as a part of a message to an OpenAI-compatible server: `image_url`, `input_audio` (WAV and MP3) or `audio_url`, `video_url`; the
 * last two are understood by vLLM and SGLang.
 */
export async function chatPart(medium: ReadableMedium, options?: CallOptions): Promise<ChatContentPart> {
  const { kind, mimeType } = medium;
  const format = AUDIO_FORMATS[mimeType];
  if (kind === "audio" && format !== undefined) {
    return { type: "input_audio", input_audio: { data: base64(await medium.bytes(options)), format } };
  }
  return { type: `${kind}_url`, [`${kind}_url`]: { url: await medium.dataUrl(options) } };
}

/** Formats that OpenAI's `input_audio` knows. */
const AUDIO_FORMATS: Readonly<Record<string, string>> = { "audio/wav": "wav", "audio/mpeg": "mp3" };

/** Messages as an OpenAI-compatible server takes them: references (`sha256:…`) to these media become parts with their bytes. */
export async function chatMessages(
  messages: readonly ChatMessage[],
  media: readonly ReadableMedium[],
  options?: CallOptions,
): Promise<readonly ChatMessage[]> {
  const known = new Map(media.map((medium) => [medium.id, medium]));
  return Promise.all(
    messages.map(async (message) => {
      if (!Array.isArray(message.content)) return message;
      const parts = (message.content as readonly ChatContentPart[]).map(async (part) => {
        const kind = mediaKindOf(part);
        const medium = kind && known.get(idOfReference(mediaValueOf(part, kind)) ?? "");
        return medium ? chatPart(medium, options) : part;
      });
      return { ...message, content: await Promise.all(parts) };
    }),
  );
}
