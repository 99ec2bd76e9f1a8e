import { type NormalForm, normalise } from "../unicode/normalise.js";
import type { Normalizer } from "./normalizer.js";

/** `NFC`, `NFD`, `NFKC`, `NFKD`. What the first character turns into starts the text, until a mark of a later one comes between. */
export function unicodeNormalizer(form: NormalForm): Normalizer {
  return {
    normalize: ({ text, origin }) => {
      const out = normalise(text, form);
      if (origin === 0) return { text: out, origin };
      const head = normalise(text.slice(0, origin), form);
      let common = 0;
      while (common < head.length && head[common] === out[common]) common++;
      return { text: out, origin: Math.max(common, (out.codePointAt(0) as number) > 0xffff ? 2 : 1) };
    },
  };
}
