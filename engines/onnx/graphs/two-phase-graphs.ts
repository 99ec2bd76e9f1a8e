import type { ModelConfig } from "../../../core/formats/index.js";
import type { Graph } from "../ir/index.js";
import { type HeadOutput, headBackward, headForward } from "../models/lm-head.js";
import { type GraphVariant, ModelGraph } from "./model-graph.js";

/** Fetch of an output of the forward graph, float32 [R]. */
export const outputFetch = (output: HeadOutput) => `out:${output}`;
/** Feed of a gradient of the backward graph, float32 [R]. */
export const outputGradientFeed = (output: HeadOutput) => `dout:${output}`;

/** Forward pass: the outputs asked for. */
export function forwardGraph(config: ModelConfig, variant: GraphVariant, outputs: readonly HeadOutput[]): Graph {
  const model = new ModelGraph("forward", config, variant, "forward");
  const head = headForward(model.graph, model.headRows, outputs);
  for (const [name, ref] of head.outputs) model.graph.output(ref, outputFetch(name), ["Rows"]);
  return model.graph;
}

/** Forward pass again and backward from fed gradients of outputs, adding to the gradient sums. */
export function backwardGraph(config: ModelConfig, variant: GraphVariant, outputs: readonly HeadOutput[]): Graph {
  const model = new ModelGraph("backward", config, variant, "backward");
  const gradients = new Map(outputs.map((name) => [name, model.graph.input(outputGradientFeed(name), ["Rows"])]));
  model.backward(headBackward(model.graph, model.headRows, gradients, model.headWeightSum()));
  return model.graph;
}
