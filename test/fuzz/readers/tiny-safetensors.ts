import type { NamedTensor } from "../../../core/data/batch/tensor.js";

/** What a safetensors file says about float32 tensors that lie one after the other. */
export function headerOf(tensors: readonly Pick<NamedTensor, "name" | "shape">[]): Record<string, unknown> {
  let end = 0;
  return Object.fromEntries(
    tensors.map(({ name, shape }) => {
      const begin = end;
      end += 4 * shape.reduce((product, size) => product * size, 1);
      return [name, { dtype: "F32", shape, data_offsets: [begin, end] }];
    }),
  );
}

/** A safetensors file of this header, which may be anything. */
export function safetensorsFile(header: string, data: Uint8Array): Buffer {
  const json = Buffer.from(header);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, data]);
}

export function safetensorsOf(tensors: readonly (NamedTensor & { readonly data: Float32Array })[]): Buffer {
  const data = tensors.map(({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  return safetensorsFile(JSON.stringify(headerOf(tensors)), Buffer.concat(data));
}
