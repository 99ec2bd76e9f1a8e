import {
  biasOf,
  embeddingName,
  type LayerConfig,
  layerNames,
  type ModelConfig,
  weightOf,
} from "../../../core/formats/index.js";
import type { Autodiff, Ref } from "../ir/index.js";
import { activate, gated } from "./activations.js";
import { type AttentionForm, attention, causalMask } from "./attention.js";
import { blockwiseAttention } from "./blockwise-attention.js";
import { type Blocks, partOf } from "./decoder.js";
import {
  add,
  addLowRank,
  type LowRank,
  linear,
  positionRows,
  reshapeRows,
  rotary,
  scale,
  splitColumns,
} from "./layers.js";
import { layerNorm, rmsNorm } from "./norms.js";
import type { TokenLayout } from "./token-layout.js";

/** A decoder's operators with their derivatives, over whole sequences. */
export class TrainingBlocks implements Blocks {
  /** Embedded tokens, [N, hidden]; where the gradient of the embedding is taken. */
  readonly embedded: Ref;
  /** By window. */
  private readonly masks: ReadonlyMap<number | null, Ref>;

  constructor(
    private readonly ad: Autodiff,
    private readonly config: ModelConfig,
    /** The graph value of a parameter by its Hugging Face name. */
    private readonly parameter: (name: string) => Ref,
    private readonly layout: TokenLayout,
    /** The adapter of a module; null: it has none. */
    private readonly adapterOf: (module: string) => LowRank | null,
    private readonly form: AttentionForm,
  ) {
    const g = ad.graph;
    const group = config.numHeads / config.numKvHeads;
    const windows = new Set(form.rows === null ? config.layers.map((layer) => this.windowOf(layer)) : []);
    this.masks = new Map([...windows].map((window) => [window, causalMask(g, layout.length, group, window)]));
    this.embedded = g.within("embedding", () => g.op("Gather", [parameter(embeddingName(config)), layout.ids]));
  }

  embed(): Ref {
    return this.embedded;
  }

  addPositions(x: Ref): Ref {
    const { ad, layout } = this;
    const { names, hiddenSize: width, maxPositions: rows } = this.config;
    const table = this.parameter(weightOf(names.positions as string));
    const grid = positionRows(ad, table, { rows, width, gridShape: layout.gridShape });
    return add(ad, x, layout.toRows(grid, width));
  }

  norm(x: Ref, module: string): Ref {
    return this.ad.graph.within("norm", () => this.normOf(x, module, this.config.hiddenSize));
  }

  linear(x: Ref, module: string, hasBias: boolean): Ref {
    const bias = hasBias ? this.parameter(biasOf(module)) : undefined;
    const { transposedWeights: transposed } = this.config;
    return this.ad.graph.within(partOf(module), () => {
      const y = linear(this.ad, x, this.parameter(weightOf(module)), { bias, transposed });
      const adapter = this.adapterOf(module);
      return adapter ? addLowRank(this.ad, y, x, adapter) : y;
    });
  }

  attention(x: Ref, layer: number): Ref {
    return this.ad.graph.within("attention", () => this.mix(x, layer));
  }

  private mix(x: Ref, layer: number): Ref {
    const { ad, config, layout } = this;
    const { numHeads, numKvHeads, headDim, attentionSoftcap, biases } = config;
    const { rope, attentionScale } = config.layers[layer];
    const window = this.windowOf(config.layers[layer]);
    const [queryWidth, keyWidth] = [numHeads * headDim, numKvHeads * headDim];
    const { qkv, queryNorm, keyNorm } = layerNames(config, layer);

    const widths = [queryWidth, keyWidth, keyWidth];
    const fused = typeof qkv === "string" ? splitColumns(ad, this.linear(x, qkv, biases.qkv), widths) : null;
    const project = (i: number) => fused?.[i] ?? this.linear(x, qkv[i], biases.qkv);
    const turned = (rows: Ref, width: number, norm: string | undefined) => {
      const grid = layout.toGrid(norm === undefined ? rows : this.headNorm(rows, width, norm), width);
      return rope === null ? grid : rotary(ad, grid, layout.ropes[rope]);
    };
    const q = turned(project(0), queryWidth, queryNorm);
    const k = turned(project(1), keyWidth, keyNorm);
    const v = layout.toGrid(project(2), keyWidth);
    const shape = { numHeads, numKvHeads, headDim, scale: attentionScale, softcap: attentionSoftcap };
    const { rows } = this.form;
    const mixed =
      rows === null
        ? attention(ad, q, k, v, this.masks.get(window) as Ref, shape)
        : blockwiseAttention(ad, q, k, v, { rows, window }, shape);
    return layout.toRows(mixed, queryWidth);
  }

  activate(x: Ref): Ref {
    return this.ad.graph.within("mlp", () => activate(this.ad, x, this.config.activation));
  }

  gate(gate: Ref, up: Ref): Ref {
    return this.ad.graph.within("mlp", () => gated(this.ad, gate, up, this.config.activation));
  }

  add(a: Ref, b: Ref): Ref {
    return this.ad.graph.within("residual", () => add(this.ad, a, b));
  }

  scale(x: Ref, factor: number): Ref {
    return scale(this.ad, x, this.ad.graph.scalar(factor));
  }

  private windowOf({ window }: LayerConfig): number | null {
    return this.form.windows ? window : null;
  }

  /** Each head of a row by itself. */
  private headNorm(rows: Ref, width: number, module: string): Ref {
    const { ad } = this;
    const { headDim } = this.config;
    return reshapeRows(ad, this.normOf(reshapeRows(ad, rows, width, headDim), module, headDim), headDim, width);
  }

  private normOf(x: Ref, module: string, width: number): Ref {
    const { ad, parameter } = this;
    const { kind, epsilon } = this.config.norm;
    const weight = parameter(weightOf(module));
    return kind === "layer"
      ? layerNorm(ad, x, weight, parameter(biasOf(module)), { width, epsilon })
      : rmsNorm(ad, x, weight, { width, epsilon, plusOne: kind === "rmsPlusOne" });
  }
}
