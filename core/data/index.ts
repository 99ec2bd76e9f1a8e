/** Public entry of the data room: rows, data sets, batches. */

export type { BatchMeta } from "./batch-meta.js";
export type { BatchTensor } from "./batch-tensor.js";
export { floatTensor, intTensor } from "./batch-tensor.js";
export { type CharTokenizerOptions, charTokenizerFiles } from "./char-tokenizer.js";
export type { DataProtoItem, DataProtoParts, IteratorOptions } from "./data-proto.js";
export { DataProto } from "./data-proto.js";
export type * from "./dataset.js";
export type { DumpRow } from "./dump.js";
export { writeDump } from "./dump.js";
export { dataErrors } from "./errors.js";
export type { KVBatchMeta } from "./kv-batch-meta.js";
export { chunkKeys, concatKeys, kvBatchLength, kvBatchMeta, reorderKeys, selectKeys } from "./kv-batch-meta.js";
export { listDataset, rlhfDatasetFactory } from "./load-dataset.js";
export { type LoadTokenizerOptions, loadTokenizer } from "./load-tokenizer.js";
export type { PromptRendering } from "./prompt-length.js";
export { encodePrompt } from "./prompt-length.js";
export type { PromptDraw, PromptLoader, PromptLoaderOptions, PromptLoaderState } from "./prompt-loader.js";
export { createPromptLoader } from "./prompt-loader.js";
export { hashText, philox, RandomStream, uniformAt } from "./random.js";
export type * from "./row.js";
export { permutation, randomSampler, sequentialSampler } from "./sampler.js";
export type { Column, SequenceBatch, SequenceInput } from "./sequence-batch.js";
export { packSequences, selectSequences, sequenceAt } from "./sequence-batch.js";
export type * from "./tensor.js";
export type * from "./tokenizer.js";
