import { type Graph, MICROSOFT, type Ref } from "../ir/index.js";
import type { WeightBits } from "./quantization.js";
import { BLOCK, type MatrixShape, quantizedShapes, SCALES, ZERO_POINTS } from "./quantized-matrix.js";

/** Rounds the inputs of a product to 8 bits as well, which has kernels that give the same bits for any number of rows. */
const INTEGER_PRODUCTS = 4;

/** x · Wᵀ + bias with a rounded matrix, whose parts are initializers that are given when the session is made. */
export type Product = (x: Ref, bias: Ref | null) => Ref;

/** Declare the parts of a rounded matrix, and what multiplies with it. */
export function quantizedProduct(g: Graph, name: string, matrix: MatrixShape, bits: WeightBits): Product {
  const { weights, scales, zeroPoints } = quantizedShapes(matrix, bits);
  const operands = [
    g.externalInitializer(name, weights, "uint8"),
    g.externalInitializer(name + SCALES, scales),
    g.externalInitializer(name + ZERO_POINTS, zeroPoints, "uint8"),
  ];
  const attributes = {
    K: matrix.inputs,
    N: matrix.outputs,
    bits,
    block_size: BLOCK,
    accuracy_level: INTEGER_PRODUCTS,
  };
  return (x, bias) => {
    const optional = bias === null ? [] : [null, bias];
    return g.op("MatMulNBits", [x, ...operands, ...optional], attributes, MICROSOFT);
  };
}
