import type { IncrementalDecoder } from "../../../core/data/index.js";

/** Decodes tokens that are bytes of well-formed UTF-8. */
export function byteDecoder(): IncrementalDecoder {
  let waiting: number[] = [];
  const text = () => Buffer.from(waiting).toString();
  return {
    push: (id) => {
      waiting.push(id);
      if (text().includes("\uFFFD")) return "";
      const certain = text();
      waiting = [];
      return certain;
    },
    pending: text,
  };
}
