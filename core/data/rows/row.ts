import type { JsonValue } from "../../host/types.js";

/** A field of a row: a token array, a scalar or any JSON value. */
export type FieldValue = Int32Array | Float32Array | JsonValue;

/** One trajectory or one dataset row, by column name. */
export type Row = Readonly<Record<string, FieldValue>>;
