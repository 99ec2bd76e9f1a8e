import { reasonOf } from "../../host/errors.js";
import { formatErrors } from "../errors.js";
import { NotAMessage, type ProtoField, protoFields } from "./protobuf.js";
import { PIECE, type Piece, type SentencePieceVocabulary } from "./vocabulary.js";

/** The vocabulary of a `tokenizer.model` with the tokens that it names. */
export interface SentencePieceModel {
  readonly vocabulary: SentencePieceVocabulary;
  readonly specialTokens: Readonly<Record<string, string>>;
}

type Fields = ReadonlyMap<number, ProtoField["value"]>;

/** Read SentencePiece's `ModelProto` (sentencepiece_model.proto), of which fields that are absent have their defaults. */
export function readSentencePieceModel(bytes: Uint8Array, path: string): SentencePieceModel {
  try {
    return parse(bytes, path);
  } catch (cause) {
    if (!(cause instanceof NotAMessage)) throw cause;
    throw formatErrors.VERL_FORMATS_TOKENIZER_UNSUPPORTED({
      what: `${path} is no SentencePiece model`,
      where: path,
      why: reasonOf(cause),
      fix: CONVERT,
      cause,
    });
  }
}

export const CONVERT =
  "convert it once in Python: AutoTokenizer.from_pretrained(folder).save_pretrained(folder) writes tokenizer.json";

function parse(bytes: Uint8Array, path: string): SentencePieceModel {
  const pieces: Piece[] = [];
  let trainer: Fields = new Map();
  let normalizer: Fields = new Map();
  for (const { field, value } of protoFields(bytes)) {
    if (field === 1) pieces.push(readPiece(message(value)));
    if (field === 2) trainer = message(value);
    if (field === 3) normalizer = message(value);
  }
  if (pieces.length === 0) throw new NotAMessage("it holds no pieces");
  const algorithm = ([undefined, "unigram", "bpe"] as const)[number(trainer, 3, 1)];
  if (!algorithm || flag(trainer, 24, false)) {
    throw formatErrors.VERL_FORMATS_TOKENIZER_UNSUPPORTED({
      what: `the SentencePiece model of ${path} ${algorithm ? "treats white space as a suffix" : "is of words or characters"}`,
      where: path,
      why: "unigram and BPE models that mark the beginnings of words are read",
      fix: CONVERT,
    });
  }
  const map = normalizer.get(2);
  const named = (id: number, piece: number, defaults: readonly [number, string]): string | undefined =>
    number(trainer, id, defaults[0]) < pieces.length ? text(trainer, piece, defaults[1]) : undefined;
  const specialTokens = {
    unk_token: named(40, 45, [0, "<unk>"]),
    bos_token: named(41, 46, [1, "<s>"]),
    eos_token: named(42, 47, [2, "</s>"]),
    pad_token: named(43, 48, [Infinity, "<pad>"]),
  };
  return {
    vocabulary: {
      algorithm,
      pieces,
      unknownId: number(trainer, 40, 0),
      byteFallback: flag(trainer, 35, false),
      characterMap: map instanceof Uint8Array && map.length > 0 ? map : null,
      addDummyPrefix: flag(normalizer, 3, true),
      removeExtraWhitespace: flag(normalizer, 4, true),
      escapeWhitespace: flag(normalizer, 5, true),
    },
    specialTokens: Object.fromEntries(
      Object.entries(specialTokens).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])),
    ),
  };
}

function readPiece(fields: Fields): Piece {
  return {
    text: text(fields, 1, ""),
    score: float(fields, 2),
    kind: number(fields, 3, PIECE.normal),
  };
}

/** Of a field that is repeated the last value counts. */
function message(value: ProtoField["value"]): Fields {
  if (typeof value === "number") throw new NotAMessage("a number where a message should be");
  return new Map(Array.from(protoFields(value), (field) => [field.field, field.value]));
}

function number(fields: Fields, field: number, absent: number): number {
  const value = fields.get(field) ?? absent;
  if (typeof value !== "number") throw new NotAMessage("a text where a number should be");
  // −1, for a token that the model does not have, is the largest number of ten bytes.
  return value >= 2 ** 31 ? Infinity : value;
}

function float(fields: Fields, field: number): number {
  const bytes = fields.get(field);
  if (bytes === undefined) return 0;
  if (typeof bytes === "number" || bytes.length !== 4) throw new NotAMessage("no float where one should be");
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getFloat32(0, true);
}

function flag(fields: Fields, field: number, absent: boolean): boolean {
  return number(fields, field, absent ? 1 : 0) !== 0;
}

function text(fields: Fields, field: number, absent: string): string {
  const value = fields.get(field);
  if (value === undefined) return absent;
  if (typeof value === "number") throw new NotAMessage("a number where a text should be");
  return Buffer.from(value).toString("utf8");
}
