import { shown } from "../../host/util/shown.js";
import type { JsonNode } from "./json-node.js";

/** Puts special tokens around the ids of a text. */
export interface PostProcessor {
  /** @param sequences ids; one list at first, and after a template one for each of its parts. */
  process(sequences: readonly (readonly number[])[], addSpecialTokens: boolean): readonly (readonly number[])[];
}

/** The post-processor that a section of `tokenizer.json` describes, for single texts. */
export function readPostProcessor(node: JsonNode): PostProcessor {
  const type = node.type();
  switch (type) {
    case "BertProcessing":
      return surround(tokenId(node.at("cls")), tokenId(node.at("sep")), false);
    case "ByteLevel":
      return { process: (sequences) => sequences };
    case "RobertaProcessing":
      return surround(tokenId(node.at("cls")), tokenId(node.at("sep")), true);
    case "Sequence": {
      const steps = node.at("processors").items().map(readPostProcessor);
      return { process: (sequences, add) => steps.reduce((now, step) => step.process(now, add), sequences) };
    }
    case "TemplateProcessing":
      return template(node);
    default:
      throw node.at("type").invalid(`the post-processor ${shown(type)} is not known`);
  }
}

/** `["[SEP]", 102]`. */
function tokenId(node: JsonNode): number {
  const pair = node.items();
  if (pair.length !== 2) throw node.invalid(`${node.path} must be a token with its id`);
  pair[0].text();
  return pair[1].id();
}

/** BERT's and RoBERTa's frames; the latter doubles the separator between sequences. */
function surround(cls: number, sep: number, doubles: boolean): PostProcessor {
  return {
    process: (sequences, addSpecialTokens) => {
      if (!addSpecialTokens) return sequences;
      return sequences.map((ids, i) => [...(i === 0 ? [cls] : doubles ? [sep] : []), ...ids, sep]);
    },
  };
}

type TemplatePart = { readonly sequence: number } | { readonly special: readonly number[] };

/** `TemplateProcessing`. A step before it may have made two sequences of one, which then take the template for pairs. */
function template(node: JsonNode): PostProcessor {
  const single = readTemplate(node, "single");
  const pair = readTemplate(node, "pair");
  return {
    process: (sequences, addSpecialTokens) => {
      const parts = sequences.length === 1 ? single : pair;
      return parts.flatMap((part) => {
        if ("special" in part) return addSpecialTokens ? [part.special] : [];
        return [sequences[part.sequence] ?? []];
      });
    },
  };
}

function readTemplate(node: JsonNode, name: string): TemplatePart[] {
  return node
    .at(name)
    .items()
    .map((item) => {
      const sequence = item.object().at("Sequence");
      if (!sequence.isNull) return { sequence: sequence.at("id").oneOf(["A", "B"]) === "A" ? 0 : 1 };
      const token = item.at("SpecialToken").object().at("id");
      const special = node.at("special_tokens").at(token.text());
      if (special.isNull) throw token.invalid(`special_tokens does not define ${shown(token.value)}`);
      return {
        special: special
          .at("ids")
          .items()
          .map((id) => id.id()),
      };
    });
}
