import { shown } from "../../../host/util/shown.js";
import type { JsonNode } from "../json-node.js";
import { readMetaspace } from "../pre-tokenizers/metaspace.js";
import { readPattern } from "../regex/read-pattern.js";
import { BpeDecoderStage } from "./bpe-decoder.js";
import { ByteFallbackStage } from "./byte-fallback.js";
import { ByteLevelStage } from "./byte-level.js";
import { CtcStage } from "./ctc.js";
import { FuseStage } from "./fuse.js";
import { JoinStage } from "./join.js";
import { MetaspaceStage } from "./metaspace.js";
import { LiteralReplaceStage, PatternReplaceStage } from "./replace.js";
import type { StageFactory } from "./stage.js";
import { StripStage } from "./strip.js";
import { WordPieceStage } from "./word-piece.js";

/** The stages of the decoder that a section of `tokenizer.json` describes, first one first. */
export function readDecoder(node: JsonNode): StageFactory[] {
  if (node.isNull) return [(next) => new JoinStage(next)];
  const type = node.type();
  switch (type) {
    case "Sequence":
      return node.at("decoders").items().flatMap(readDecoder);
    case "BPEDecoder": {
      const suffix = node.at("suffix").text();
      return [(next) => new BpeDecoderStage(next, suffix)];
    }
    case "ByteFallback":
      return [(next) => new ByteFallbackStage(next)];
    case "ByteLevel":
      return [(next) => new ByteLevelStage(next)];
    case "CTC": {
      const options = {
        padToken: node.at("pad_token").text(),
        wordDelimiter: node.at("word_delimiter_token").text(),
        cleans: node.at("cleanup").boolean(),
      };
      return [(next) => new CtcStage(next, options)];
    }
    case "Fuse":
      return [(next) => new FuseStage(next)];
    case "Metaspace": {
      const options = readMetaspace(node);
      return [(next) => new MetaspaceStage(next, options)];
    }
    case "Replace":
      return [readReplace(node)];
    case "Strip": {
      const options = {
        content: node.at("content").character(),
        start: node.at("start").count(),
        stop: node.at("stop").count(),
      };
      return [(next) => new StripStage(next, options)];
    }
    case "WordPiece": {
      const [prefix, cleans] = [node.at("prefix").text(), node.at("cleanup").boolean()];
      return [(next) => new WordPieceStage(next, prefix, cleans)];
    }
    default:
      throw node.at("type").invalid(`the decoder ${shown(type)} is not known`);
  }
}

function readReplace(node: JsonNode): StageFactory {
  const pattern = readPattern(node.at("pattern"));
  const content = node.at("content").text();
  const literal = node.at("pattern").at("String");
  if (!literal.isNull && literal.value !== "") {
    const text = literal.text();
    return (next) => new LiteralReplaceStage(next, text, content);
  }
  return (next) => new PatternReplaceStage(next, pattern, content);
}
