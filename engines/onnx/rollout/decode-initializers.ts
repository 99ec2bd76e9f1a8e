import type { ModelConfig } from "../../../core/formats/index.js";
import type { Graph, Ref } from "../ir/index.js";
import { decodeParameters, matrixShape } from "./decode-parameters.js";
import type { Quantization } from "./quantization.js";
import { type Product, quantizedProduct } from "./quantized-product.js";

/** The parameters of a decode graph: initializers whose values are given when the session is made. */
export class DecodeInitializers {
  private readonly whole = new Map<string, Ref>();
  private readonly rounded = new Map<string, Product>();

  constructor(
    private readonly graph: Graph,
    config: ModelConfig,
    quantization: Quantization | null,
  ) {
    for (const parameter of decodeParameters(config, quantization)) {
      const { name, shape, bits } = parameter;
      if (bits === null) this.whole.set(name, graph.externalInitializer(name, shape));
      else this.rounded.set(name, quantizedProduct(graph, name, matrixShape(parameter), bits));
    }
  }

  /** One that is not rounded. */
  parameter(name: string): Ref {
    return this.whole.get(name) as Ref;
  }

  /** x · Wᵀ + bias; x · W + bias where the model stores its matrices transposed. */
  product(x: Ref, weight: string, bias: string | null, isTransposed: boolean): Ref {
    const added = bias === null ? null : this.parameter(bias);
    const rounded = this.rounded.get(weight);
    if (rounded) return rounded(x, added);
    const operands = [x, this.parameter(weight), ...(added === null ? [] : [added])];
    return this.graph.op("Gemm", operands, isTransposed ? {} : { transB: 1 });
  }
}
