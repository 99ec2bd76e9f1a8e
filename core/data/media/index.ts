/** Media of messages: where they come from, how they are named, and what a model makes of them. */

export { contentText } from "./content-text.js";
export * from "./fold-media.js";
export { takenItems } from "./items-with-media.js";
export * from "./media.js";
export { MAX_MEDIA_BYTES, MAX_PIXELS, type MediaFormat, mediaFormat } from "./media-format.js";
export { type MediaSource, mediaSource } from "./media-source.js";
export { MediaStore, type TakeOptions } from "./media-store.js";
export * from "./media-tokens.js";
export type * from "./processor.js";
export * from "./readable-media.js";
export * from "./run-media.js";
export { takeMedia } from "./take-media.js";
