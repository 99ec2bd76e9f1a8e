export type { PlannedEdit, SampledTurn } from "./builder.js";
export { ContinuousTokenBuilder } from "./builder.js";
export type { ShapeCheck, TemplateCheck, TokenDifference } from "./check-template.js";
export { checkTemplate } from "./check-template.js";
export type { TokenEdit } from "./edit.js";
export { type TokenFamily, tokenFamily } from "./family.js";
export type { SampledSpan, TokenSample } from "./token-sample.js";
export { versionsOf } from "./token-sample.js";
export { TurnEncoder, type TurnEncoderOptions } from "./turn-encoder.js";
