import { dumpsLikePython, type LosslessJson, parseLosslessJson } from "../../../core/data/index.js";
import { type CaseKind, compare } from "../kind.js";

export const jsonLossless: CaseKind = {
  name: "json_lossless",
  fields: ["text"],
  expectFields: ["error", "python_dumps", "keys_order"],
  run({ text, expect }) {
    let value: LosslessJson;
    try {
      value = parseLosslessJson(text as string);
    } catch (error) {
      return expect.error ? null : { expected: expect, actual: String(error) };
    }
    const wanted = expect.python_dumps as { unicode?: string } | undefined;
    const actual = {
      python_dumps: {
        ascii: dumpsLikePython(value, { ensureAscii: true }),
        ...(wanted?.unicode === undefined ? {} : { unicode: dumpsLikePython(value) }),
      },
      ...(expect.keys_order && value instanceof Map ? { keys_order: [...value.keys()] } : {}),
    };
    return compare(expect, actual);
  },
};
