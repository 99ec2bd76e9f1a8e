import type { ModelConfig } from "../../../core/formats/index.js";
import type { OutputName } from "../../../core/plugin.js";
import type { Graph } from "../ir/index.js";
import type { GraphModel } from "./graph-model.js";
import { type GraphVariant, ModelGraph } from "./model-graph.js";

/** Fetch of an output of the forward graph, flat float32. */
export const outputFetch = (output: OutputName) => `out:${output}`;
/** Feed of a gradient of the backward graph, in the output's shape. */
export const outputGradientFeed = (output: OutputName) => `dout:${output}`;

/** One name of a dimension must always mean one size. */
const outputDims = ({ head }: ModelConfig) => [head === "scores" ? "Scores" : "Rows"];

/** Forward pass: the outputs asked for. */
export function forwardGraph(model: GraphModel, variant: GraphVariant, outputs: readonly OutputName[]): Graph {
  const built = new ModelGraph("forward", model, variant, "forward");
  const { graph } = built;
  for (const [name, ref] of built.forward(outputs)) graph.output(ref, outputFetch(name), outputDims(model.config));
  return graph;
}

/** Forward pass again and backward from fed gradients of outputs, adding to the gradient sums. */
export function backwardGraph(model: GraphModel, variant: GraphVariant, outputs: readonly OutputName[]): Graph {
  const built = new ModelGraph("backward", model, variant, "backward");
  const { graph } = built;
  const feed = (name: OutputName) => graph.input(outputGradientFeed(name), outputDims(model.config));
  built.backward(new Map(outputs.map((name) => [name, feed(name)])));
  return graph;
}
