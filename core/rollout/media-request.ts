import { dataUrl, MEDIA_KINDS, type MediaKind, type MediaReader, referenceTo } from "../data/index.js";
import type { CallOptions } from "../host/types.js";
import type { GenerateRequest } from "./rollout.js";

/** Media of a request for a server that reads them itself. */
export interface SentMedia {
  /** In the order of the prompt. */
  readonly urls: readonly string[];
  /** `sha256:…` of each medium's bytes. */
  readonly hashes: readonly string[];
}

/** A request's media by kind as data URLs, for the body of an HTTP request; kinds without any are left out. */
export async function mediaUrls(
  { media = [] }: Pick<GenerateRequest, "media">,
  reader: MediaReader,
  options?: CallOptions,
): Promise<Readonly<Partial<Record<MediaKind, SentMedia>>>> {
  const found: Partial<Record<MediaKind, SentMedia>> = {};
  for (const kind of MEDIA_KINDS) {
    const own = media.filter((placed) => placed.kind === kind);
    if (own.length === 0) continue;
    const urls = own.map(async (placed) => dataUrl(placed, await reader.bytes(placed, options)));
    found[kind] = { urls: await Promise.all(urls), hashes: own.map(referenceTo) };
  }
  return found;
}

/**
 * The prompt with one placeholder for each medium, for a server that puts the medium's tokens in its place itself. Its processor must
 * then make the same tokens of the medium as the run's.
 *
 * @param placeholders  ids by kind: `RolloutOptions.media.placeholders`
 */
export function collapsedPrompt(
  { promptIds, media = [] }: Pick<GenerateRequest, "promptIds" | "media">,
  placeholders: ReadonlyMap<number, MediaKind>,
): number[] {
  const idOf = new Map([...placeholders].map(([id, kind]) => [kind, id]));
  const ids = Array.from(promptIds);
  const collapsed: number[] = [];
  let at = 0;
  for (const { kind, offset, length } of media) {
    collapsed.push(...ids.slice(at, offset), idOf.get(kind) ?? ids[offset]);
    at = offset + length;
  }
  return [...collapsed, ...ids.slice(at)];
}
