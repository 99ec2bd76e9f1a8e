import type { OrtApi } from "./ort-api.js";
import { offHeapPointers } from "./ort-api.js";

/** A list of zero-terminated strings in one block, with the array of pointers that C wants. */
export class CStrings {
  readonly pointers: BigUint64Array;
  private readonly block: Uint8Array;

  constructor(api: OrtApi, texts: readonly string[]) {
    const encoded = texts.map((text) => Buffer.from(`${text}\0`, "utf8"));
    this.block = new Uint8Array(new ArrayBuffer(encoded.reduce((n, e) => n + e.length, 0)));
    this.pointers = offHeapPointers(texts.length);
    const base = texts.length > 0 ? api.address(this.block) : 0n;
    let at = 0;
    encoded.forEach((bytes, i) => {
      this.block.set(bytes, at);
      this.pointers[i] = base + BigInt(at);
      at += bytes.length;
    });
  }
}
