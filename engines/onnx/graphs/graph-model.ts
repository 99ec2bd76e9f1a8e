import {
  embeddingName,
  headName,
  type LoraShape,
  loraParameterSpecs,
  type ModelConfig,
  parameterSpecs,
} from "../../../core/formats/index.js";

/** What graphs are made of: a model with or without an adapter, and which of its parameters are trained. */
export interface GraphModel {
  readonly config: ModelConfig;
  readonly lora: LoraShape | null;
  /** Names of the parameters that get gradients. */
  readonly trained: ReadonlySet<string>;
  /** Shapes of all parameters by name, those of the adapter included. */
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  /** The same for models with the same graphs. */
  readonly key: string;
}

/** The whole model, all of it trained or nothing. */
export function plainGraphModel(config: ModelConfig, trains: boolean): GraphModel {
  const shapes = new Map(parameterSpecs(config).map(({ name, shape }) => [name, shape]));
  return { config, lora: null, trained: new Set(trains ? shapes.keys() : []), shapes, key: trains ? "all" : "none" };
}

/** The model with an adapter, which alone is trained. */
export function loraGraphModel(config: ModelConfig, lora: LoraShape): GraphModel {
  const ofAdapter = loraParameterSpecs(config, lora);
  const shapes = new Map([...parameterSpecs(config), ...ofAdapter].map(({ name, shape }) => [name, shape]));
  return { config, lora, trained: new Set(ofAdapter.map(({ name }) => name)), shapes, key: JSON.stringify(lora) };
}

export function trainsEmbedding({ config, trained }: GraphModel): boolean {
  return trained.has(embeddingName(config));
}

/** Whether the graph gives a gradient of the embedding itself: it is the head as well. Else the host makes it. */
export function isTied({ config }: GraphModel): boolean {
  return headName(config) === embeddingName(config);
}
