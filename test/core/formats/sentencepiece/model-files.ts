import { TokenizerPipeline } from "../../../../core/data/tokenizer/pipeline.js";
import { readSentencePieceModel } from "../../../../core/formats/sentencepiece/model-file.js";
import { sentencePieceTokenizerJson } from "../../../../core/formats/sentencepiece/tokenizer-json.js";
import { type Difference, decodeWith } from "../../data/tokenizers/vector-files.js";

export interface Answers {
  readonly ids: readonly (readonly number[])[];
  readonly decoded: readonly string[];
}

/** What test/peers/sentencepiece_models.py writes. */
export interface ModelsFile {
  readonly texts: readonly string[];
  readonly cases: readonly (Answers & { readonly name: string; readonly model: string })[];
  readonly framedTexts: readonly string[];
  /** The model `bpe llama` with a tokenizer_config.json beside it. */
  readonly configured: readonly {
    readonly name: string;
    readonly config: unknown;
    readonly framed: readonly (readonly number[])[];
  }[];
}

/** Where a model, read by this project, differs from what `transformers` makes of it. */
export function modelDifferences(model: Uint8Array, texts: readonly string[], answers: Answers): Difference[] {
  const { vocabulary } = readSentencePieceModel(model, "tokenizer.model");
  const pipeline = new TokenizerPipeline(sentencePieceTokenizerJson(vocabulary));
  return texts.flatMap((input, i) => {
    const ids = pipeline.encode(input, false);
    const text = decodeWith(pipeline, answers.ids[i], false);
    const found = { ids, text };
    const expected = { ids: answers.ids[i], text: answers.decoded[i] };
    return JSON.stringify(found) === JSON.stringify(expected) ? [] : [{ input, expected, found }];
  });
}
