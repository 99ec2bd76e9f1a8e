import path from "node:path";
import { isVerlError } from "../../host/errors.js";
import type { CallOptions } from "../../host/types.js";
import { dataErrors } from "../errors.js";
import type { DataItem, DatasetOptions } from "../rows/dataset.js";
import { type BadRow, MAX_BAD_ROWS, refuseBadRows } from "../rows/raw-row.js";
import type { ChatMessage } from "../tokenizer.js";
import { mediaPartsOf } from "./media.js";
import type { TakeOptions } from "./media-store.js";

/** Rows whose files are read at the same time. */
const AT_ONCE = 16;

/**
 * The items with their media taken in. A kind of media that the model does not understand is refused with the first row that has
 * it; media that cannot be used are refused together, with their rows.
 */
export async function itemsWithMedia(
  items: readonly DataItem[],
  { media, config, signal }: Pick<DatasetOptions, "media" | "config" | "signal">,
): Promise<readonly DataItem[]> {
  if (!media) return items;
  const take: TakeRow = async (messages, options) => (await media.take(messages, options)).messages;
  return takenItems(items, take, { root: config.mediaRoot ?? null, signal });
}

/** The messages of a row with their media taken in. */
export type TakeRow = (
  messages: readonly ChatMessage[],
  options: TakeOptions & { readonly root: string },
) => Promise<readonly ChatMessage[]>;

/** The same by other means. `root`: folder of the files that rows name; null: that of the row's own file. */
export async function takenItems<I extends Pick<DataItem, "messages" | "origin">>(
  items: readonly I[],
  takeRow: TakeRow,
  { root: common, signal }: CallOptions & { readonly root: string | null },
): Promise<readonly I[]> {
  if (items.every(({ messages }) => mediaPartsOf(messages).length === 0)) return items;
  const bad: BadRow[] = [];
  const taken: I[] = [];
  const take = async (item: I): Promise<I | BadRow> => {
    const root = common ?? path.dirname(item.origin);
    try {
      return { ...item, messages: await takeRow(item.messages, { root, origin: item.origin, signal }) };
    } catch (error) {
      if (!isVerlError(error)) throw error;
      const { code, what, where, why } = error;
      if (code === "VERL_DATA_NO_PROCESSOR") {
        throw dataErrors.VERL_DATA_NO_PROCESSOR({ what, where: item.origin, why, cause: error });
      }
      if (code !== "VERL_DATA_MEDIA") throw error;
      return {
        origin: item.origin,
        what: `cannot be used: ${what.replace(/^(the \w+) cannot be used: /, "$1: ")}${where === undefined ? "" : ` (${where})`}`,
      };
    }
  };
  for (let start = 0; start < items.length && bad.length < MAX_BAD_ROWS; start += AT_ONCE) {
    signal?.throwIfAborted();
    for (const item of await Promise.all(items.slice(start, start + AT_ONCE).map(take))) {
      if ("messages" in item) taken.push(item);
      else if (bad.length < MAX_BAD_ROWS) bad.push(item);
    }
  }
  refuseBadRows(bad);
  return taken;
}
