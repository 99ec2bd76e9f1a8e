import { layerNames, type ModelConfig } from "../../../core/formats/index.js";
import type { Ref } from "../ir/index.js";

/** The part of the model that a module belongs to, as profiles name it. */
export function partOf(module: string): "attention" | "mlp" {
  return /attn|attention/.test(module) ? "attention" : "mlp";
}

/** The operators that a decoder is put together from. Rows are tokens, [N, width]; parameters go by their module's name. */
export interface Blocks {
  /** Embedded tokens, [N, hidden]. */
  embed(): Ref;
  /** Adds the learned position of every token. */
  addPositions(x: Ref): Ref;
  norm(x: Ref, module: string): Ref;
  linear(x: Ref, module: string, hasBias: boolean): Ref;
  /** Projections, positions and attention of one layer: [N, hidden] → [N, heads · headDim]. */
  attention(x: Ref, layer: number): Ref;
  activate(x: Ref): Ref;
  /** activation(gate) · up */
  gate(gate: Ref, up: Ref): Ref;
  add(a: Ref, b: Ref): Ref;
  scale(x: Ref, factor: number): Ref;
}

/**
 * A pre-norm transformer without its final norm and head, [N, hidden]. Trainer and sampler build their graphs by this one
 * description, from operators of their own.
 */
export function decoder(blocks: Blocks, config: ModelConfig): Ref {
  const { biases, residualScale } = config;
  const scaled = (x: Ref, factor: number) => (factor === 1 ? x : blocks.scale(x, factor));
  const join = (x: Ref, added: Ref, norm: string | undefined) =>
    blocks.add(x, scaled(norm === undefined ? added : blocks.norm(added, norm), residualScale));

  let x = scaled(blocks.embed(), config.embeddingScale);
  if (config.names.positions !== undefined) x = blocks.addPositions(x);
  for (let layer = 0; layer < config.numLayers; layer++) {
    const names = layerNames(config, layer);
    const mixed = blocks.attention(blocks.norm(x, names.attentionNorm), layer);
    x = join(x, blocks.linear(mixed, names.attentionOut, biases.attentionOut), names.attentionOutNorm);
    const m = blocks.norm(x, names.mlpNorm);
    const map = (module: string) => blocks.linear(m, module, biases.mlp);
    const inner =
      names.gate === undefined ? blocks.activate(map(names.up)) : blocks.gate(map(names.gate), map(names.up));
    x = join(x, blocks.linear(inner, names.down, biases.mlp), names.mlpOutNorm);
  }
  return x;
}
