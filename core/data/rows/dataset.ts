import type { CallOptions, JsonValue } from "../../host/types.js";
import type { MediaColumns } from "../media/fold-media.js";
import type { MediaIntake } from "../media/run-media.js";
import type { ChatMessage, Tokenizer } from "../tokenizer.js";
import type { Row } from "./row.js";

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
  /** Rows in the files. */
  readonly rows: number;
  /** Rows left out because their prompt is too long. */
  readonly overlong: number;
  /** Tokens of the longest prompt in use; absent when lengths were not measured. */
  readonly longestPrompt?: number;
}

export interface DatasetOptions extends CallOptions {
  readonly files: readonly string[];
  readonly tokenizer: Tokenizer;
  /** The `data` section of the configuration. */
  readonly config: DatasetConfig;
  readonly split: "train" | "val";
  /** Tools that are sent with prompts; they count towards their length. */
  readonly tools?: readonly JsonValue[];
  /** Those of them that are sent with a row; all where it is left out. */
  readonly toolsOf?: (row: Row) => readonly JsonValue[];
  /** Takes in the media of rows, whose parts then hold references. Absent: parts stay as they are. */
  readonly media?: MediaIntake;
}

export interface DatasetConfig {
  readonly promptKey: string;
  readonly maxPromptLength: number;
  readonly filterOverlongPrompts: boolean;
  readonly maxSamples: number;
  readonly shuffle: boolean;
  readonly seed: number | null;
  readonly applyChatTemplateKwargs: Readonly<Record<string, unknown>>;
  /** Columns with media, which become parts of the messages; absent: they stay columns. */
  readonly mediaColumns?: MediaColumns;
  /** Folder that paths of media start at and may not leave; null or absent: that of the data file. */
  readonly mediaRoot?: string | null;
  /** Column that must name a data source in every row; absent = not checked, as when the reward needs none. */
  readonly rewardFnKey?: string;
  /**
   * What becomes of prompts that are too long and not filtered: `error` (default) refuses the data set and names the rows;
   * the others leave it to the sender, which cuts.
   */
  readonly truncation?: "error" | "left" | "right" | "middle";
}

/** Registered under the name that `data.dataset` gives; `data.custom_cls` takes one from a user file. */
export interface DatasetFactory {
  readonly name: string;
  create(options: DatasetOptions): Promise<Dataset>;
}
