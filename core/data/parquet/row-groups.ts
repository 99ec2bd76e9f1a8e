import type { FileHandle } from "node:fs/promises";
import type { DecodedArray, FileMetaData, RowGroup, SchemaTree } from "hyparquet";
import { assembleNested } from "hyparquet/src/assemble.js";
import { DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { parquetSchema } from "hyparquet/src/metadata.js";
import { getPhysicalColumns, getTreePath } from "hyparquet/src/schema.js";
import { parseOutsideJson } from "../../host/util/outside-json.js";
import type { ParquetBudget } from "./budget.js";
import { readColumnChunk } from "./column.js";
import { readBytes } from "./footer.js";

const decoder = new TextDecoder();
const parsers = {
  ...DEFAULT_PARSERS,
  jsonFromBytes: (bytes: Uint8Array) => bytes && parseOutsideJson(decoder.decode(bytes)),
};

/** The columns of a row group by name, nested ones put together; each has one entry a row. */
export type Columns = ReadonlyMap<string, DecodedArray>;

/** Row group by row group, so that one is in memory at a time. */
export async function* readRowGroups(
  file: FileHandle,
  fileSize: number,
  metadata: FileMetaData,
  budget: ParquetBudget,
): AsyncGenerator<{ readonly rows: number; readonly columns: Columns }> {
  const schema = parquetSchema(metadata);
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    budget.spendValues(rows);
    const leaves = await readLeaves(file, fileSize, group, schema, budget);
    const columns = new Map(schema.children.map((column) => [column.element.name, assembled(column, leaves)]));
    for (const [name, values] of columns) {
      if (values.length !== rows)
        throw new Error(`the column ${name} has ${values.length} values in a group of ${rows} rows`);
    }
    yield { rows, columns };
  }
}

/** Values of every column that is stored, by its path. */
async function readLeaves(
  file: FileHandle,
  fileSize: number,
  { columns }: RowGroup,
  schema: SchemaTree,
  budget: ParquetBudget,
): Promise<Map<string, DecodedArray>> {
  const leaves = new Map<string, DecodedArray>();
  for (const { meta_data: meta, file_path: elsewhere } of columns) {
    if (!meta || elsewhere) throw new Error("its columns are in another file");
    const start = Number(meta.dictionary_page_offset || meta.data_page_offset);
    const length = Number(meta.total_compressed_size);
    if (!(start >= 0 && length >= 0 && start + length <= fileSize)) {
      throw new Error(`the column ${meta.path_in_schema.join(".")} claims ${length} bytes at ${start}`);
    }
    const schemaPath = getTreePath(schema, meta.path_in_schema);
    const { element } = schemaPath[schemaPath.length - 1];
    if (element.type === undefined) throw new Error("a group of columns with values of its own");
    const column = {
      pathInSchema: meta.path_in_schema,
      schemaPath,
      element,
      type: element.type,
      codec: meta.codec,
      parsers,
      utf8: false,
    };
    const path = meta.path_in_schema.join(".");
    if (leaves.has(path)) throw new Error(`the column ${path} is there twice`);
    leaves.set(path, readColumnChunk(await readBytes(file, start, length), column, budget));
  }
  const missing = getPhysicalColumns(schema).find((path) => !leaves.has(path));
  if (missing !== undefined) throw new Error(`the column ${missing} is not there`);
  return leaves;
}

function assembled(column: SchemaTree, leaves: Map<string, DecodedArray>): DecodedArray {
  if (column.children.length > 0) assembleNested(leaves, column, parsers);
  return leaves.get(column.element.name) ?? [];
}
