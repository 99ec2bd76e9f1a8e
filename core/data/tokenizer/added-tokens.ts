import { shown } from "../../host/util/shown.js";
import type { AddedToken } from "./added-vocabulary.js";
import type { JsonNode } from "./json-node.js";
import type { Vocabulary } from "./models/model.js";

/** An added token as a file describes it, with the id that the file says it has. */
interface Described {
  readonly node: JsonNode;
  readonly token: Omit<AddedToken, "id">;
  readonly declaredId: number | null;
}

/**
 * Tokens with the ids that Rust's `tokenizers` gives them: the vocabulary's where it has the token, else the next free one in
 * order of the files. A file that declares another id contradicts itself.
 */
export class AddedTokenList {
  private readonly byContent = new Map<string, AddedToken>();
  private readonly contents = new Map<number, string>();

  constructor(private readonly vocabulary: Vocabulary) {}

  get tokens(): AddedToken[] {
    return [...this.byContent.values()];
  }

  /** Whether a token that is a text, or an object that holds it, has an id. */
  isKnown(node: JsonNode): boolean {
    const { content } = named(node);
    return this.byContent.has(content) || this.vocabulary.idOf(content) !== undefined;
  }

  /** The section `added_tokens`. */
  addAll(node: JsonNode): void {
    this.add(node.items().map((item) => describe(item, item.at("id").id(), true)));
  }

  /** `added_tokens_decoder` of `tokenizer_config.json`, whose settings win over those of `tokenizer.json`. */
  addDecoder(node: JsonNode): void {
    const tokens = node.entries().map(([id, item]) => {
      if (!/^\d+$/.test(id)) throw item.invalid(`${shown(id)} is no token id`);
      return describe(item, Number(id));
    });
    this.add(tokens.sort((a, b) => Number(a.declaredId) - Number(b.declaredId)));
  }

  /**
   * Special tokens that are named by their texts, or described by objects, and were not added before. Of two that have the same
   * text the later one counts.
   */
  addSpecial(nodes: readonly JsonNode[]): void {
    const described = nodes.map((node) => ({ node, token: named(node), declaredId: null }));
    this.add(described.filter(({ token }) => !this.byContent.has(token.content)));
  }

  private add(described: readonly Described[]): void {
    let nextId = this.vocabulary.size;
    for (const id of this.contents.keys()) nextId = Math.max(nextId, id + 1);
    for (const { node, token, declaredId } of described) {
      const { content } = token;
      if (content === "") continue;
      const known = this.byContent.get(content)?.id ?? this.vocabulary.idOf(content);
      const id = known ?? nextId++;
      if (declaredId !== null && declaredId !== id) {
        const why = known === undefined ? "the next free id is" : "the vocabulary gives it";
        throw node.invalid(`${shown(content)} is declared with the id ${declaredId}, but ${why} ${id}`);
      }
      const other = this.contents.get(id) ?? (known === undefined ? this.vocabulary.tokenOf(id) : undefined);
      if (other !== undefined && other !== content) {
        throw node.invalid(`the tokens ${shown(other)} and ${shown(content)} have the same id ${id}`);
      }
      // What was special once is never decoded where special tokens are left out.
      const special = token.special || this.byContent.get(content)?.special === true;
      this.byContent.set(content, { ...token, id, special });
      this.contents.set(id, content);
    }
  }
}

/** @param complete whether every setting must be there, as in `tokenizer.json`. */
function describe(node: JsonNode, declaredId: number | null, complete = false): Described {
  const flag = (name: string, absent: boolean) => {
    const field = node.at(name);
    return field.isNull && !complete ? absent : field.boolean();
  };
  const content = node.object().at("content").text();
  const special = flag("special", false);
  const token = {
    content,
    singleWord: flag("single_word", false),
    lstrip: flag("lstrip", false),
    rstrip: flag("rstrip", false),
    normalized: flag("normalized", !special),
    special,
  };
  return { node, token, declaredId };
}

function named(node: JsonNode): Omit<AddedToken, "id"> {
  if (typeof node.value === "object") return { ...describe(node, null).token, special: true };
  return { content: node.text(), singleWord: false, lstrip: false, rstrip: false, normalized: false, special: true };
}
