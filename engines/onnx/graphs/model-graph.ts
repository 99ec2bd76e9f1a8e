import { type ModelConfig, parameterSpecs } from "../../../core/formats/index.js";
import { Autodiff, Graph, type Ref } from "../ir/index.js";
import { pickRows, rmsNorm, scale } from "../models/layers.js";
import { EMBEDDING, FINAL_NORM, LM_HEAD, llamaTrunk } from "../models/llama.js";
import type { HeadRows } from "../models/lm-head.js";
import { type LayoutKind, tokenLayout } from "../models/token-layout.js";

/** Names of the graph inputs that pick and score the response tokens. R is padded to a multiple of the chunk count. */
export const HEAD_FEEDS = {
  /** Row that predicts each response token, int32 [R]. */
  rows: "response_rows",
  /** Response token that each row predicts, or R, int32 [N]; backward only. */
  inverse: "response_inverse",
  /** Response tokens, int32 [R]. */
  targets: "targets",
  /** float32 scalar. */
  inverseTemperature: "inverse_temperature",
} as const;

/** Gradient of the embedded tokens, [N, hidden]; the host adds its rows to the embedding's gradient. */
export const EMBEDDED_GRADIENT = "grad_embedded";
export const gradientFeed = (parameter: string) => `sum:${parameter}`;
export const gradientFetch = (parameter: string) => `grad:${parameter}`;

/** How a graph is specialised; everything else about a batch is dynamic. */
export interface GraphVariant {
  readonly layout: LayoutKind;
  readonly chunks: number;
}

/** The model up to the rows that the head scores; the common beginning of every training graph. */
export class ModelGraph {
  readonly graph: Graph;
  readonly autodiff: Autodiff;
  readonly headRows: HeadRows;
  private readonly embedded: Ref;
  private readonly parameters: ReadonlyMap<string, Ref>;

  constructor(
    name: string,
    private readonly config: ModelConfig,
    variant: GraphVariant,
    /** A forward pass needs no inverse index. */
    direction: "forward" | "backward",
  ) {
    const g = new Graph(name);
    const ad = new Autodiff(g);
    this.graph = g;
    this.autodiff = ad;
    this.parameters = new Map(parameterSpecs(config).map((p) => [p.name, g.input(p.name, p.shape)]));
    const parameter = (key: string) => this.parameters.get(key) as Ref;

    const trunk = llamaTrunk(ad, config, parameter, tokenLayout(ad, config, variant.layout));
    this.embedded = trunk.embedded;
    const width = config.hiddenSize;
    const index = g.input(HEAD_FEEDS.rows, ["Rows"], "int32");
    const targets = g.input(HEAD_FEEDS.targets, ["Rows"], "int32");
    const inverse = direction === "backward" ? g.input(HEAD_FEEDS.inverse, ["N"], "int32") : index;
    const picked = pickRows(ad, trunk.hidden, width, index, inverse);
    const normed = rmsNorm(ad, picked, parameter(FINAL_NORM), width, config.rmsNormEps);
    const hidden = scale(ad, normed, g.input(HEAD_FEEDS.inverseTemperature, []));
    this.headRows = { hidden, weight: parameter(this.headName), targets, width, chunks: variant.chunks };
  }

  /** Gradient sum of the head's weight, to be passed through the head's backward pass. */
  headWeightSum(): Ref {
    return this.sumInput(this.headName);
  }

  /** The rest of the backward pass, from the gradients of the head's rows and weight; publishes all gradients. */
  backward(headGradients: { hidden: Ref; weight: Ref }): void {
    const g = this.graph;
    const width = this.config.hiddenSize;
    const sums = new Map<Ref, Ref>();
    for (const name of this.trunkParameters()) sums.set(this.parameters.get(name) as Ref, this.sumInput(name));
    const seeds = new Map([[this.headRows.hidden, headGradients.hidden]]);
    const gradients = this.autodiff.backward(seeds, [...sums.keys(), this.embedded], sums);
    for (const name of this.trunkParameters()) {
      const parameter = this.parameters.get(name) as Ref;
      g.output(gradients.get(parameter) as Ref, gradientFetch(name), this.shapeOf(name));
    }
    g.output(headGradients.weight, gradientFetch(this.headName), this.shapeOf(this.headName));
    g.output(gradients.get(this.embedded) as Ref, EMBEDDED_GRADIENT, ["N", width]);
  }

  private get headName(): string {
    return this.config.tieWordEmbeddings ? EMBEDDING : LM_HEAD;
  }

  /** Parameters whose gradients the trunk's backward pass yields. */
  private trunkParameters(): string[] {
    return [...this.parameters.keys()].filter((name) => name !== EMBEDDING && name !== LM_HEAD);
  }

  private sumInput(name: string): Ref {
    return this.graph.input(gradientFeed(name), this.shapeOf(name));
  }

  private shapeOf(name: string): readonly number[] {
    return parameterSpecs(this.config).find((p) => p.name === name)?.shape ?? [];
  }
}
