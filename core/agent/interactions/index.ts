export type * from "./interaction.js";
export { BaseInteraction } from "./interaction.js";
export {
  type InteractionSet,
  type InteractionSource,
  interactionNames,
  loadInteractions,
} from "./load-interactions.js";
