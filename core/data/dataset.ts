import type { CallOptions } from "../host/types.js";
import type { Row } from "./row.js";
import type { ChatMessage, Tokenizer } from "./tokenizer.js";

/** One row of data, ready to be sent: messages plus every other column unchanged. */
export interface DataItem {
  readonly messages: readonly ChatMessage[];
  /** All columns, `data_source`, `reward_model`, `extra_info`, `agent_name`, … included. */
  readonly row: Row;
  /** `file:line` (JSONL) or `file#row` (Parquet), for error messages. */
  readonly origin: string;
}

/** A finite, indexable set of rows. */
export interface Dataset {
  readonly length: number;
  at(index: number): DataItem;
  /** What was left out and why, for the start-up line. */
  readonly report: DatasetReport;
}

export interface DatasetReport {
  readonly files: readonly string[];
  readonly rows: number;
  readonly overlong: number;
}

export interface DatasetOptions extends CallOptions {
  readonly files: readonly string[];
  readonly tokenizer: Tokenizer;
  /** The `data` section of the configuration. */
  readonly config: DatasetConfig;
  readonly split: "train" | "val";
}

export interface DatasetConfig {
  readonly promptKey: string;
  readonly maxPromptLength: number;
  readonly filterOverlongPrompts: boolean;
  readonly maxSamples: number;
  readonly shuffle: boolean;
  readonly seed: number | null;
  readonly applyChatTemplateKwargs: Readonly<Record<string, unknown>>;
}

/** Registered under a name; `data.custom_cls` replaces it from a user file. */
export interface DatasetFactory {
  readonly name: string;
  create(options: DatasetOptions): Promise<Dataset>;
}

/** Order of rows over passes. Its state is part of the checkpoint. */
export interface Sampler {
  /** Index of the next row; a pass that ends starts the next one. */
  next(): number;
  readonly epoch: number;
  state(): SamplerState;
  restore(state: SamplerState): void;
}
export interface SamplerState {
  readonly epoch: number;
  readonly position: number;
  readonly seed: number;
}
