import { dataErrors } from "../errors.js";
import type { ChatContentPart, ChatMessage } from "../tokenizer.js";
import { type MediaKind, mediaKindOf, mediaPartsOf, mediaValueOf, referenceTo } from "./media.js";
import { mediaSource } from "./media-source.js";
import type { MediaStore, TakeOptions } from "./media-store.js";

/** What clients ask of a processor for single media: the same for all of a run here. */
const PROCESSOR_OPTIONS = ["min_pixels", "max_pixels", "resized_height", "resized_width", "nframes", "fps"];

/**
 * The messages with every medium taken into the store, each part as `{type: KIND, KIND: "sha256:…"}`; further members of a part
 * stay. Messages without media come back as they are.
 *
 * @throws VERL_DATA_MEDIA for a medium that cannot be used
 */
export async function takeMedia(
  messages: readonly ChatMessage[],
  store: MediaStore,
  options: TakeOptions = {},
): Promise<readonly ChatMessage[]> {
  if (mediaPartsOf(messages).length === 0) return messages;
  return Promise.all(
    messages.map(async (message) => {
      if (!Array.isArray(message.content) || mediaPartsOf([message]).length === 0) return message;
      const parts = message.content as readonly ChatContentPart[];
      return { ...message, content: await Promise.all(parts.map((part) => takePart(part, store, options))) };
    }),
  );
}

/** Parts other than media are left as they are. */
export async function takePart(
  part: ChatContentPart,
  store: MediaStore,
  options: TakeOptions,
): Promise<ChatContentPart> {
  const kind = mediaKindOf(part);
  if (kind === null) return part;
  refuseOptions(part, kind);
  const value = mediaValueOf(part, kind);
  refuseOptions(value, kind);
  const source = mediaSource(value);
  if ("problem" in source) throw bad(kind, source.problem);
  const ref = await store.take(kind, source, options);
  const { [part.type]: _, [kind]: __, url: ___, data: ____, ...rest } = part as Readonly<Record<string, unknown>>;
  return { ...rest, type: kind, [kind]: referenceTo(ref) };
}

function refuseOptions(holder: unknown, kind: MediaKind): void {
  const option = PROCESSOR_OPTIONS.find((name) => Object.hasOwn(Object(holder), name));
  if (option === undefined) return;
  throw dataErrors.VERL_DATA_MEDIA({
    what: `the ${kind} asks for ${option}, which is not settled for single media`,
    fix: `Set data.mm_processor_kwargs.${option} for all of the run.`,
  });
}

const bad = (kind: MediaKind, problem: string) =>
  dataErrors.VERL_DATA_MEDIA({ what: `the ${kind} cannot be used: ${problem}` });
