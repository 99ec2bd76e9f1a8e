import path from "node:path";
import { isVerlError } from "../../host/errors.js";
import type { DataItem, DatasetOptions } from "../dataset.js";
import { dataErrors } from "../errors.js";
import { type BadRow, MAX_BAD_ROWS, refuseBadRows } from "../raw-row.js";
import { mediaPartsOf } from "./media.js";

/** Rows whose files are read at the same time. */
const AT_ONCE = 16;

/**
 * The items with their media taken in. A kind of media that the model does not understand is refused with the first row that has
 * it; media that cannot be used are refused together, with their rows.
 */
export async function itemsWithMedia(
  items: readonly DataItem[],
  { media, config, signal }: DatasetOptions,
): Promise<readonly DataItem[]> {
  if (!media || items.every(({ messages }) => mediaPartsOf(messages).length === 0)) return items;
  const bad: BadRow[] = [];
  const taken: DataItem[] = [];
  const take = async (item: DataItem): Promise<DataItem | BadRow> => {
    const root = config.mediaRoot ?? path.dirname(item.origin);
    try {
      return { ...item, messages: (await media.take(item.messages, { root, signal })).messages };
    } catch (error) {
      if (!isVerlError(error)) throw error;
      const { code, what, where, why } = error;
      if (code === "VERL_DATA_NO_PROCESSOR") {
        throw dataErrors.VERL_DATA_NO_PROCESSOR({ what, where: item.origin, why, cause: error });
      }
      if (code !== "VERL_DATA_MEDIA") throw error;
      return { origin: item.origin, what: `cannot be used: ${what}${where === undefined ? "" : ` (${where})`}` };
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
