import { access } from "node:fs/promises";
import path from "node:path";
import { isVerlError, reasonOf } from "../../host/errors.js";
import type { CallOptions } from "../../host/types.js";
import { didYouMean } from "../../host/util/nearest.js";
import { dataErrors } from "../errors.js";
import { foldMedia } from "../media/fold-media.js";
import { itemsWithMedia } from "../media/items-with-media.js";
import { dropOverlong, measurePrompts } from "../prompt-length.js";
import { promptMessages } from "../prompt-messages.js";
import { RandomStream } from "../random.js";
import type { DataItem, Dataset, DatasetFactory, DatasetOptions } from "./dataset.js";
import { readJsonlRows, readJsonRows } from "./jsonl-reader.js";
import { readParquetRows } from "./parquet-reader.js";
import { type BadRow, type RawRow, refuseBadRows } from "./raw-row.js";

const READERS: Readonly<Record<string, (file: string) => Promise<RawRow[]>>> = {
  ".jsonl": readJsonlRows,
  ".json": readJsonRows,
  ".parquet": readParquetRows,
};

/**
 * The default data set: chat prompts in `.jsonl`, `.json` and `.parquet` files, joined in the order given. All rows are
 * checked before anything starts; every error names file and row. `maxSamples` takes the first rows, or with `shuffle`
 * random ones by `seed`; prompts that are too long are left out afterwards.
 */
export const rlhfDatasetFactory: DatasetFactory = {
  name: "rlhf",
  async create(options) {
    const { files, config, split } = options;
    const read = await readDataFiles(files, { ...options, namedBy: `data.${split}_files` });
    const chosen = chooseRows(read, config);
    const items = await itemsWithMedia(toItems(chosen, config), options);
    if (config.rewardFnKey !== undefined) requireSource(items, config.rewardFnKey);

    const measured = config.filterOverlongPrompts || (config.truncation ?? "error") === "error";
    const fitting = measured ? await fitPrompts(items, options) : { items, longest: undefined };
    if (fitting.items.length === 0) {
      throw dataErrors.VERL_DATA_EMPTY({
        what: `no ${split} data is left of ${read.length} rows`,
        where: files.join(", "),
        why: `all ${items.length} prompts are longer than data.max_prompt_length = ${config.maxPromptLength} tokens`,
      });
    }
    return listDataset(fitting.items, {
      files,
      rows: read.length,
      overlong: items.length - fitting.items.length,
      ...(fitting.longest === undefined ? {} : { longestPrompt: fitting.longest }),
    });
  },
};

/** A data set of items that are at hand. */
export function listDataset(items: readonly DataItem[], report: Dataset["report"]): Dataset {
  return {
    length: items.length,
    at(index) {
      const item = items[index];
      if (!item) throw new RangeError(`the data set has ${items.length} rows, there is no row ${index}`);
      return item;
    },
    report,
  };
}

export interface ReadDataOptions extends CallOptions {
  /** What the data are, in errors: `train`, `val`, `response`. */
  readonly split: string;
  /** The key or option under which the user named the files, for advice. */
  readonly namedBy: string;
}

/** The rows of data files as they stand there, joined in the order given. */
export async function readDataFiles(
  files: readonly string[],
  { split, namedBy, signal }: ReadDataOptions,
): Promise<RawRow[]> {
  const rows: RawRow[] = [];
  for (const file of files) {
    signal?.throwIfAborted();
    const reader = READERS[path.extname(file).toLowerCase()];
    if (!reader) {
      throw dataErrors.VERL_DATA_FORMAT({
        what: `${path.basename(file)} is none of ${Object.keys(READERS).join(", ")}`,
        where: file,
      });
    }
    try {
      await access(file);
      for (const row of await reader(file)) rows.push(row);
    } catch (error) {
      if (isVerlError(error)) throw error;
      if ((error as NodeJS.ErrnoException).code === "ERR_FS_FILE_TOO_LARGE") {
        throw dataErrors.VERL_DATA_FORMAT({
          what: `the ${split} data file is too large to be read at once`,
          where: file,
          why: reasonOf(error),
          fix: `Split it into several (${namedBy} takes a list), and give media as files beside it.`,
          cause: error,
        });
      }
      throw dataErrors.VERL_DATA_FILE_NOT_FOUND({
        what: `the ${split} data file cannot be read`,
        where: file,
        why: reasonOf(error),
        fix: `Check ${namedBy}; relative paths start at the working directory.`,
        cause: error,
      });
    }
  }
  if (rows.length === 0) {
    throw dataErrors.VERL_DATA_EMPTY({
      what: files.length === 0 ? `no ${split} data files are given` : `the ${split} data has no rows`,
      where: files.join(", ") || namedBy,
      fix: `Name a file with rows in it (${namedBy}).`,
    });
  }
  return rows;
}

function chooseRows(
  rows: readonly RawRow[],
  { maxSamples, shuffle, seed }: DatasetOptions["config"],
): readonly RawRow[] {
  if (maxSamples <= 0 || maxSamples >= rows.length) return rows;
  return (shuffle ? new RandomStream(seed ?? 0, "max-samples").shuffled(rows) : rows).slice(0, maxSamples);
}

function toItems(rows: readonly RawRow[], { promptKey, mediaColumns }: DatasetOptions["config"]): DataItem[] {
  const bad: BadRow[] = [];
  const items: DataItem[] = [];
  for (const { row, origin } of rows) {
    if (!Object.hasOwn(row, promptKey)) {
      throw dataErrors.VERL_DATA_NO_PROMPT_COLUMN({
        what: `there is no column ${promptKey}.${didYouMean(promptKey, Object.keys(row))}`,
        where: origin,
        why: `the row has the columns ${Object.keys(row).join(", ") || "(none)"}`,
      });
    }
    const prompt = promptMessages(row[promptKey], promptKey);
    const folded =
      "problem" in prompt || !mediaColumns ? { ...prompt, row } : foldMedia(prompt.messages, row, mediaColumns);
    if ("problem" in folded) bad.push({ origin, what: folded.problem });
    else items.push({ messages: folded.messages, row: folded.row, origin });
  }
  refuseBadRows(bad);
  return items;
}

function requireSource(items: readonly DataItem[], column: string): void {
  const lacking = items.filter(({ row }) => typeof row[column] !== "string" || row[column] === "");
  if (lacking.length === 0) return;
  const [{ row, origin }] = lacking;
  const hint = Object.hasOwn(row, column) ? "" : didYouMean(column, Object.keys(row));
  throw dataErrors.VERL_DATA_NO_SOURCE({
    what: `${lacking.length} of ${items.length} rows have no text in the column ${column}.${hint}`,
    where: lacking.length === 1 ? origin : `${origin} is the first`,
    why: `the row has the columns ${Object.keys(row).join(", ")}`,
  });
}

async function fitPrompts(
  items: readonly DataItem[],
  { tokenizer, config, tools, toolsOf, media, signal }: DatasetOptions,
): Promise<{ items: readonly DataItem[]; longest: number }> {
  const rendering = { tools, toolsOf, media, kwargs: config.applyChatTemplateKwargs };
  const lengths = await measurePrompts(items, tokenizer, rendering, { signal });
  const { maxPromptLength, filterOverlongPrompts } = config;
  const fitting = dropOverlong(items, lengths, { maxPromptLength, filter: filterOverlongPrompts });
  const longest = lengths.reduce((most, length) => (length <= maxPromptLength ? Math.max(most, length) : most), 0);
  return { items: fitting, longest };
}
