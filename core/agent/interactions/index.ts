export type * from "./interaction.js";
export { BaseInteraction } from "./interaction.js";
export { type InteractionSet, type InteractionSource, loadInteractions } from "./load-interactions.js";
