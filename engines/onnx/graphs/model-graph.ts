import {
  biasOf,
  embeddingName,
  headName,
  loraNames,
  loraScale,
  type ModelConfig,
  weightOf,
} from "../../../core/formats/index.js";
import type { OutputName } from "../../../core/plugin.js";
import { Autodiff, Graph, type Ref } from "../ir/index.js";
import type { AttentionForm } from "../models/attention.js";
import { decoder } from "../models/decoder.js";
import type { Head } from "../models/head.js";
import { type LowRank, pickRows, scale } from "../models/layers.js";
import { LanguageModelHead } from "../models/lm-head.js";
import { scoreHead } from "../models/score-head.js";
import { type LayoutKind, tokenLayout } from "../models/token-layout.js";
import { TrainingBlocks } from "../models/training-blocks.js";
import { type GraphModel, trainsEmbedding } from "./graph-model.js";

/**
 * Names of the graph inputs that pick and score rows. A language model has R rows, one before each response token, padded to a
 * multiple of the chunk count; a value model the same, unpadded; a score head one per sequence, its last.
 */
export const HEAD_FEEDS = {
  /** Row of the layout, int32 [R]. */
  rows: "response_rows",
  /** The other way round: R where a row is not picked, int32 [N]; backward only. */
  inverse: "response_inverse",
  /** Response tokens, int32 [R]. */
  targets: "targets",
  /** Factor of the head's rows, see {@link logitFactors}; float32 scalar. */
  rowFactor: "row_factor",
  /** Factor of the capped logits; float32 scalar. */
  capFactor: "cap_factor",
} as const;

/** Where temperature, the model's factor of the logits and their cap c go: logits are tanh(rows · rowFactor · W) · capFactor. */
export function logitFactors({ logitScale, logitSoftcap }: ModelConfig, temperature: number) {
  return logitSoftcap === null
    ? { rowFactor: logitScale / temperature, capFactor: 1 }
    : { rowFactor: logitScale / logitSoftcap, capFactor: logitSoftcap / temperature };
}

/** Gradient of the embedded tokens, [N, hidden]; the host adds its rows to the embedding's gradient. */
export const EMBEDDED_GRADIENT = "grad_embedded";
export const gradientFeed = (parameter: string) => `sum:${parameter}`;
export const gradientFetch = (parameter: string) => `grad:${parameter}`;

/** How a graph is specialised; everything else about a batch is dynamic. */
export interface GraphVariant {
  readonly layout: LayoutKind;
  readonly chunks: number;
  /** The backward pass does not compute logits again; at the price of memory. */
  readonly keepsLogits: boolean;
  readonly attention: AttentionForm;
  /** For runtimes that get the statistics of fused norms wrong. */
  readonly plainNorms?: boolean;
}

/** The model with its head; the common beginning of every training graph. */
export class ModelGraph {
  readonly graph: Graph;
  private readonly head: Head;
  /** Tokens that the rows score; none in a model without next-token logits. */
  readonly targets: Ref | null;
  private readonly autodiff: Autodiff;
  private readonly embedded: Ref;
  private readonly config: ModelConfig;
  private readonly parameters: ReadonlyMap<string, Ref>;

  constructor(
    name: string,
    private readonly model: GraphModel,
    variant: GraphVariant,
    /** A forward pass needs no inverse index. */
    direction: "forward" | "backward",
  ) {
    const g = new Graph(name, variant.plainNorms);
    const ad = new Autodiff(g);
    const { config } = model;
    this.graph = g;
    this.autodiff = ad;
    this.config = config;
    this.parameters = new Map([...model.shapes].map(([name, shape]) => [name, g.input(name, shape)]));

    const parameter = (key: string) => this.parameters.get(key) as Ref;
    const layout = tokenLayout(ad, config, variant.layout);
    const blocks = new TrainingBlocks(ad, config, parameter, layout, adapters(model, parameter), variant.attention);
    const hidden = decoder(blocks, config);
    this.embedded = blocks.embedded;
    const width = config.hiddenSize;
    const index = g.input(HEAD_FEEDS.rows, ["Rows"], "int32");
    this.targets = config.head === "languageModel" ? g.input(HEAD_FEEDS.targets, ["Rows"], "int32") : null;
    const inverse = direction === "backward" ? g.input(HEAD_FEEDS.inverse, ["N"], "int32") : index;
    const picked = g.within("head", () => pickRows(ad, hidden, width, index, inverse));
    const normed = blocks.norm(picked, config.names.finalNorm);
    const { targets } = this;
    this.head = g.within("head", () =>
      targets
        ? this.languageModelHead(normed, targets, variant)
        : this.scoreHead(normed, config.head as "values" | "scores"),
    );
  }

  /** Outputs of the head, flat. */
  forward(outputs: readonly OutputName[]): Map<OutputName, Ref> {
    return this.graph.within("head", () => this.head.forward(outputs));
  }

  /** The backward pass, from gradients of outputs; publishes the gradients of what is trained. */
  backward(outputGradients: ReadonlyMap<OutputName, Ref>): void {
    const g = this.graph;
    const ofHead = g.within("head backward", () => this.head.backward(outputGradients));
    const embedding = embeddingName(this.config);
    const names = [...this.model.trained].filter((name) => name !== embedding && !ofHead.parameters.has(name));
    const sums = new Map(names.map((name) => [this.parameters.get(name) as Ref, this.sumInput(name)]));
    const targets = [...sums.keys(), ...(trainsEmbedding(this.model) ? [this.embedded] : [])];
    const gradients = this.autodiff.backward(ofHead.seeds, targets, sums);
    for (const name of names) {
      const parameter = this.parameters.get(name) as Ref;
      g.output(gradients.get(parameter) as Ref, gradientFetch(name), this.shapeOf(name));
    }
    for (const [name, gradient] of ofHead.parameters) g.output(gradient, gradientFetch(name), this.shapeOf(name));
    const ofEmbedded = gradients.get(this.embedded);
    if (ofEmbedded) g.output(ofEmbedded, EMBEDDED_GRADIENT, ["N", this.config.hiddenSize]);
  }

  private languageModelHead(normed: Ref, targets: Ref, { chunks, keepsLogits }: GraphVariant): Head {
    const g = this.graph;
    const { config } = this;
    const weightName = headName(config);
    return new LanguageModelHead(g, {
      hidden: scale(this.autodiff, normed, g.input(HEAD_FEEDS.rowFactor, [])),
      weight: this.parameters.get(weightName) as Ref,
      weightName,
      weightSum: this.model.trained.has(weightName) ? () => this.sumInput(weightName) : null,
      targets,
      width: config.hiddenSize,
      cap: config.logitSoftcap === null ? null : g.input(HEAD_FEEDS.capFactor, []),
      chunks,
      keepsLogits,
      vocabSize: config.vocabSize,
    });
  }

  private scoreHead(hidden: Ref, output: "values" | "scores"): Head {
    const { names, headSize: size } = this.config;
    const module = names.heads[output];
    const weight = this.parameters.get(weightOf(module)) as Ref;
    return scoreHead(this.autodiff, output, { hidden, weight, bias: this.parameters.get(biasOf(module)), size });
  }

  private sumInput(name: string): Ref {
    return this.graph.input(gradientFeed(name), this.shapeOf(name));
  }

  private shapeOf(name: string): readonly number[] {
    return this.model.shapes.get(name) as readonly number[];
  }
}

function adapters({ lora }: GraphModel, parameter: (name: string) => Ref): (module: string) => LowRank | null {
  if (!lora) return () => null;
  const modules = new Set(lora.modules);
  const scale = loraScale(lora);
  return (module) => {
    if (!modules.has(module)) return null;
    const { a, b } = loraNames(module);
    return { a: parameter(a), b: parameter(b), scale };
  };
}
