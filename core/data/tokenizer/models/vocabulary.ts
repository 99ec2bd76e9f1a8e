import { shown } from "../../../host/util/shown.js";
import type { JsonNode } from "../json-node.js";
import type { Vocabulary } from "./model.js";

/** `{"token": id, …}`. */
export function readVocabulary(node: JsonNode): Vocabulary {
  const ids = new Map<string, number>();
  const tokens = new Map<number, string>();
  for (const [token, field] of node.entries()) {
    const id = field.id();
    const before = tokens.get(id);
    if (before !== undefined) {
      throw field.invalid(`the tokens ${shown(before)} and ${shown(token)} have the same id ${id}`);
    }
    ids.set(token, id);
    tokens.set(id, token);
  }
  return {
    size: ids.size,
    idOf: (token) => ids.get(token),
    tokenOf: (id) => tokens.get(id),
    ids: () => tokens.keys(),
  };
}
