/**
 * How much may come out of a file. Compression, runs and dictionaries make much of few bytes, in data sets some hundred times;
 * what goes beyond is a bomb, or a damaged file. Every size that a file claims is charged here before anything is made of it.
 */
export class ParquetBudget {
  #bytes: number;
  #values: number;

  constructor(fileSize: number) {
    this.#bytes = Math.min(MAX_BYTES, FREE_BYTES + BYTES_PER_BYTE * fileSize);
    this.#values = FREE_VALUES + VALUES_PER_BYTE * fileSize;
  }

  /** Bytes of a page once it is decompressed. */
  spendBytes(count: number): void {
    this.#bytes -= charged(count);
    if (this.#bytes < 0) throw new Error(`its pages decompress to more than ${BYTES_PER_BYTE} times the file's size`);
  }

  /** Values, those inside lists and objects included. */
  spendValues(count: number): void {
    this.#values -= charged(count);
    if (this.#values < 0) throw new Error(`it holds more than ${VALUES_PER_BYTE} values for each of its bytes`);
  }
}

const MAX_BYTES = 2 ** 31;
const FREE_BYTES = 64 * 2 ** 20;
const BYTES_PER_BYTE = 1024;
const FREE_VALUES = 2 ** 18;
const VALUES_PER_BYTE = 64;

function charged(count: number): number {
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new Error(`it claims a size of ${count}`);
}
