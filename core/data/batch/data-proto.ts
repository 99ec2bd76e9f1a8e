import { isDeepStrictEqual } from "node:util";
import { dataErrors } from "../errors.js";
import { permutation } from "../rows/sampler.js";
import { type BatchMeta, concatMeta, copyMeta, uniteMeta } from "./batch-meta.js";
import { type BatchTensor, checked, concatRows, equalTensors, gatherRows, viewRows } from "./batch-tensor.js";

export interface DataProtoParts {
  /** Tensors [B, …] by name. */
  readonly tensors?: Readonly<Record<string, BatchTensor>>;
  /** Other values, B for each name. No name may stand for a tensor and a column. */
  readonly columns?: Readonly<Record<string, readonly unknown[]>>;
  readonly meta?: Readonly<BatchMeta>;
}

/** One row of a batch; tensors without their batch dimension. */
export interface DataProtoItem {
  readonly tensors: Readonly<Record<string, BatchTensor>>;
  readonly columns: Readonly<Record<string, unknown>>;
  readonly meta: BatchMeta;
}

export interface IteratorOptions {
  /** Must divide the batch. */
  readonly miniBatchSize: number;
  readonly epochs: number;
  /** With `shuffle`: a new order for every epoch, from (seed, epoch). */
  readonly seed?: number;
  readonly shuffle?: boolean;
}

/**
 * The batch protocol: tensors with the same first dimension B, other columns of length B, and free meta values. A batch
 * never changes; operations return new ones. `slice`, `chunk`, `split` and selections share tensor memory with their
 * source, everything else copies it. Meta is never shared: each batch owns a deep copy.
 */
export class DataProto {
  readonly tensors: Readonly<Record<string, BatchTensor>>;
  readonly columns: Readonly<Record<string, readonly unknown[]>>;
  readonly meta: BatchMeta;
  /** B; 0 for a batch of meta alone. */
  readonly length: number;

  constructor({ tensors = {}, columns = {}, meta = {} }: DataProtoParts = {}) {
    const lengths = new Map<string, number>();
    for (const [name, tensor] of Object.entries(tensors)) lengths.set(name, checked(tensor, name).shape[0]);
    for (const [name, column] of Object.entries(columns)) {
      if (lengths.has(name)) throw mismatch(`${name} is both a tensor and a column`);
      lengths.set(name, column.length);
    }
    if (new Set(lengths.values()).size > 1) {
      throw mismatch(`first dimensions differ: ${Array.from(lengths, ([name, n]) => `${name} ${n}`).join(", ")}`);
    }
    this.tensors = Object.freeze({ ...tensors });
    this.columns = Object.freeze(mapValues(columns, (column) => Object.freeze([...column])));
    this.meta = copyMeta(meta);
    this.length = [...lengths.values()][0] ?? 0;
  }

  /** Names of tensors and columns. */
  get names(): string[] {
    return [...Object.keys(this.tensors), ...Object.keys(this.columns)];
  }

  item(index: number): DataProtoItem {
    this.#requireRows([index]);
    return {
      tensors: mapValues(this.tensors, (tensor) => {
        const row = viewRows(tensor, index, index + 1);
        return { ...row, shape: row.shape.slice(1) };
      }),
      columns: mapValues(this.columns, (column) => column[index]),
      meta: copyMeta(this.meta),
    };
  }

  /** Rows from `start` to `end` (exclusive); negative numbers count from the end, as in `Array.slice`. */
  slice(start = 0, end = this.length): DataProto {
    const [from, to] = [start, end].map((n) => (n < 0 ? Math.max(0, this.length + n) : Math.min(n, this.length)));
    const last = Math.max(from, to);
    return this.#with({
      tensors: mapValues(this.tensors, (tensor) => viewRows(tensor, from, last)),
      columns: mapValues(this.columns, (column) => column.slice(from, last)),
    });
  }

  /** The rows with these indices; an index may occur several times. */
  index(indices: ArrayLike<number>): DataProto {
    const list = Array.from(indices);
    this.#requireRows(list);
    return this.#with({
      tensors: mapValues(this.tensors, (tensor) => gatherRows(tensor, list)),
      columns: mapValues(this.columns, (column) => list.map((i) => column[i])),
    });
  }

  /** The rows where the mask is true or not 0; one entry per row. */
  mask(mask: ArrayLike<boolean | number>): DataProto {
    if (mask.length !== this.length) throw badIndex(`a mask of ${mask.length} entries for ${this.length} rows`);
    return this.index(Array.from(mask).flatMap((keep, i) => (keep ? [i] : [])));
  }

  /** The named tensors and columns; all meta, or the named keys of it. */
  select(names: readonly string[], options: { readonly meta?: readonly string[] } = {}): DataProto {
    this.#requireNames(names);
    const wanted = new Set(names);
    const meta = options.meta ? pickMeta(this.meta, options.meta) : this.meta;
    return new DataProto({
      tensors: filterNames(this.tensors, (name) => wanted.has(name)),
      columns: filterNames(this.columns, (name) => wanted.has(name)),
      meta,
    });
  }

  /** Split by name: what was asked for, and the rest. Both keep the meta. */
  pop(names: readonly string[]): { readonly popped: DataProto; readonly rest: DataProto } {
    const popped = this.select(names);
    const gone = new Set(names);
    return { popped, rest: this.select(this.names.filter((name) => !gone.has(name))) };
  }

  /** New names by old ones. Names may be swapped; two columns may not end under one name. */
  rename(names: Readonly<Record<string, string>>): DataProto {
    this.#requireNames(Object.keys(names));
    const renamed = (name: string) => (Object.hasOwn(names, name) ? names[name] : name);
    if (new Set(this.names.map(renamed)).size < this.names.length) throw mismatch("two columns would have one name");
    return this.#with({
      tensors: Object.fromEntries(Object.entries(this.tensors).map(([name, tensor]) => [renamed(name), tensor])),
      columns: Object.fromEntries(Object.entries(this.columns).map(([name, column]) => [renamed(name), column])),
    });
  }

  /** Columns and meta of both; what both have must be equal (NaN equals NaN). */
  union(other: DataProto): DataProto {
    if (this.names.length > 0 && other.names.length > 0 && this.length !== other.length) {
      throw mismatch(`batches of ${this.length} and ${other.length} rows cannot be united`);
    }
    for (const [name, tensor] of Object.entries(other.tensors)) {
      const own = Object.hasOwn(this.tensors, name) ? this.tensors[name] : null;
      if (own && !equalTensors(own, tensor)) throw mismatch(`the batches have different values in ${name}`);
    }
    for (const [name, column] of Object.entries(other.columns)) {
      const own = Object.hasOwn(this.columns, name) ? this.columns[name] : null;
      if (own && !isDeepStrictEqual(own, column)) throw mismatch(`the batches have different values in ${name}`);
    }
    return new DataProto({
      tensors: { ...this.tensors, ...other.tensors },
      columns: { ...this.columns, ...other.columns },
      meta: uniteMeta(this.meta, other.meta),
    });
  }

  /** `count` equal parts. With `uneven` the last ones may be shorter or empty instead of an error. */
  chunk(count: number, options: { readonly uneven?: boolean } = {}): DataProto[] {
    requirePositive(count, "count of chunks");
    if (!options.uneven && this.length % count !== 0) {
      throw badIndex(`a batch of ${this.length} rows cannot be cut into ${count} equal chunks`);
    }
    const size = Math.ceil(this.length / count);
    return Array.from({ length: count }, (_, i) => this.slice(i * size, (i + 1) * size));
  }

  /** Parts of `size` rows; the last one may be shorter. */
  split(size: number): DataProto[] {
    requirePositive(size, "size of a split");
    return Array.from({ length: Math.ceil(this.length / size) }, (_, i) => this.slice(i * size, (i + 1) * size));
  }

  /** Rows of all batches. Names must agree, and meta except `metrics`, which are gathered into lists. */
  static concat(batches: readonly DataProto[]): DataProto {
    if (batches.length === 0) throw mismatch("there is no batch to concatenate");
    const [first] = batches;
    for (const { names } of batches) {
      if (names.toSorted().join("\0") !== first.names.toSorted().join("\0")) {
        throw mismatch(`columns differ: [${first.names.join(", ")}] and [${names.join(", ")}]`);
      }
    }
    const of = <T>(parts: (batch: DataProto) => Readonly<Record<string, T>>, name: string): T[] =>
      batches.map((batch) => {
        const values = parts(batch);
        if (!Object.hasOwn(values, name)) throw mismatch(`${name} is a tensor in one batch and a column in another`);
        return values[name];
      });
    return new DataProto({
      tensors: mapValues(first.tensors, (_, name) =>
        concatRows(
          of((batch) => batch.tensors, name),
          name,
        ),
      ),
      columns: mapValues(first.columns, (_, name) => of((batch) => batch.columns, name).flat()),
      meta: concatMeta(batches.map((batch) => batch.meta)),
    });
  }

  /** Every row `times` times: a a b b when interleaved (default), else a b a b. */
  repeat(times: number, { interleave = true }: { readonly interleave?: boolean } = {}): DataProto {
    requirePositive(times, "number of repetitions");
    const n = this.length;
    return this.index(Array.from({ length: n * times }, (_, i) => (interleave ? Math.floor(i / times) : i % n)));
  }

  /** Row i `counts[i]` times, which may be 0. */
  sampleLevelRepeat(counts: ArrayLike<number>): DataProto {
    if (counts.length !== this.length) throw badIndex(`${counts.length} counts for ${this.length} rows`);
    const indices = Array.from(counts).flatMap((count, i) => {
      if (!Number.isInteger(count) || count < 0) throw badIndex(`row ${i} cannot be repeated ${count} times`);
      return Array<number>(count).fill(i);
    });
    return this.index(indices);
  }

  /** Row `order[i]` becomes row i; `order` is a permutation. */
  reorder(order: ArrayLike<number>): DataProto {
    if (order.length !== this.length || new Set(Array.from(order)).size !== this.length) {
      throw badIndex(`the order is no permutation of ${this.length} rows`);
    }
    return this.index(order);
  }

  /** Mini-batches, `epochs` times over the batch. */
  makeIterator({ miniBatchSize, epochs, seed = 0, shuffle = false }: IteratorOptions): Iterable<DataProto> {
    requirePositive(miniBatchSize, "size of a mini-batch");
    if (this.length % miniBatchSize !== 0) {
      throw badIndex(`mini-batches of ${miniBatchSize} rows do not divide a batch of ${this.length}`);
    }
    const batch = this;
    return {
      *[Symbol.iterator]() {
        for (let epoch = 0; epoch < epochs; epoch++) {
          const source = shuffle ? batch.index(permutation(batch.length, seed, epoch)) : batch;
          yield* source.split(miniBatchSize);
        }
      },
    };
  }

  /** Append rows from the start, cyclically, until `divisor` divides the length. Undone by {@link unpad}. */
  padToDivisor(divisor: number): { readonly batch: DataProto; readonly padSize: number } {
    requirePositive(divisor, "divisor");
    if (this.length === 0) throw badIndex("a batch without rows cannot be padded");
    const padSize = (divisor - (this.length % divisor)) % divisor;
    const indices = Array.from({ length: this.length + padSize }, (_, i) => i % this.length);
    return { batch: this.index(indices), padSize };
  }

  /** Drop the last `padSize` rows. */
  unpad(padSize: number): DataProto {
    if (!Number.isInteger(padSize) || padSize < 0 || padSize > this.length) {
      throw badIndex(`${padSize} rows of padding in a batch of ${this.length}`);
    }
    return this.slice(0, this.length - padSize);
  }

  #with(parts: DataProtoParts): DataProto {
    return new DataProto({ meta: this.meta, ...parts });
  }

  #requireNames(names: readonly string[]): void {
    const unknown = names.filter((name) => !this.names.includes(name));
    if (unknown.length > 0) throw unknownName(unknown, this.names);
  }

  #requireRows(indices: readonly number[]): void {
    const wrong = indices.find((i) => !Number.isInteger(i) || i < 0 || i >= this.length);
    if (wrong !== undefined) throw badIndex(`there is no row ${wrong} in a batch of ${this.length}`);
  }
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T, name: string) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}

function filterNames<T>(record: Readonly<Record<string, T>>, keep: (name: string) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => keep(name)));
}

function pickMeta(meta: BatchMeta, keys: readonly string[]): BatchMeta {
  const unknown = keys.filter((key) => !Object.hasOwn(meta, key));
  if (unknown.length > 0) throw unknownName(unknown, Object.keys(meta));
  return Object.fromEntries(keys.map((key) => [key, meta[key]]));
}

function requirePositive(n: number, what: string): void {
  if (!Number.isInteger(n) || n < 1) throw badIndex(`the ${what} must be a whole number from 1, not ${n}`);
}

function unknownName(names: readonly string[], known: readonly string[]): Error {
  return dataErrors.VERL_BATCH_UNKNOWN_COLUMN({
    what: `the batch has no ${names.join(", ")}`,
    why: `it has ${known.join(", ") || "nothing"}`,
  });
}

function badIndex(what: string): Error {
  return dataErrors.VERL_BATCH_INDEX({ what });
}

function mismatch(what: string): Error {
  return dataErrors.VERL_BATCH_MISMATCH({ what });
}
