import type { Arbitrary } from "fast-check";

/** Text or bytes, whichever reads better where an input is written down. */
export type Input = string | Uint8Array;

/** A reader of outside data, and what is known of its format. */
export interface FuzzReader {
  readonly name: string;
  /** Small valid inputs; mutations start from them. */
  seeds(): Promise<readonly Input[]> | readonly Input[];
  /** Inputs by the format's grammar, most of them nearly valid. */
  readonly generated?: Arbitrary<Input>;
  /** Pieces of the format that mutations insert and repeat. */
  readonly words?: readonly Input[];
  /** Inputs that were a fault once, or plainly would be one: bombs, huge claims, deep nesting. */
  readonly hostile?: Readonly<Record<string, () => Input>>;
  /** Read one input to its end. Must return, or throw a coded error. `folder` exists for the files of this input alone. */
  read(input: Uint8Array, folder: string): unknown;
  /** For formats that expand: the reader's own stated caps in place of {@link DEFAULT_BUDGET}. */
  readonly budget?: Partial<Budget>;
  /** Decodes by a library whose exceptions become the cause of a coded error. */
  readonly wrapsLibrary?: true;
}

/** What one input may cost. */
export interface Budget {
  /** Processor time. */
  readonly cpuMs: number;
  /** Memory on top of what the process has: this much, and so many bytes for each byte of the input. */
  readonly bytes: number;
  readonly bytesPerByte: number;
}

export const DEFAULT_BUDGET: Budget = { cpuMs: 1000, bytes: 64 * 2 ** 20, bytesPerByte: 64 };

export function budgetOf(reader: FuzzReader): Budget {
  return { ...DEFAULT_BUDGET, ...reader.budget };
}

export function bytesOf(input: Input): Uint8Array {
  return typeof input === "string" ? Buffer.from(input, "utf8") : input;
}

/** The text of an input, read as every text file here is: invalid UTF-8 becomes U+FFFD. */
export function textOf(input: Uint8Array): string {
  return Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString("utf8");
}
