import { z } from "zod";

/** A default that follows another key, written as in the files: `${data.max_prompt_length}`. */
export type Reference = `${string}\${${string}}${string}`;

/** What is known about a key besides its type: the source of `--help`, `config explain` and the reference page. */
export interface KeyInfo {
  /** One line. */
  readonly description: string;
  readonly default?: unknown;
  /** Unit of a number, e.g. `tokens`, `s`. */
  readonly unit?: string;
  /** Set where the default is not verl's: its value there (absent: verl has no such key), and why ours differs. */
  readonly differs?: { readonly verl?: unknown; readonly why: string };
  /** The registry whose names are valid values. */
  readonly registry?: string;
  /** Names of that registry that are not offered: what to do instead, or null for one that is taken all the same. */
  readonly unoffered?: Readonly<Record<string, string | null>>;
  /** Of a text with a form of its own: the form in words, as in `one of a, b`. */
  readonly form?: string;
  /** Of a count whose upper bound only keeps typing errors from using up the machine. */
  readonly guarded?: true;
  /** Holds a path to a user file. */
  readonly file?: true;
}

/** The value of another key as the default. */
export const follows = (path: string): Reference => `\${${path}}`;

type About = Omit<KeyInfo, "description" | "default">;

/** One key: its type, default and description. */
export function key<T extends z.ZodType>(
  type: T,
  value: z.input<T> | Reference,
  description: string,
  about: About = {},
): T {
  return type.meta({ ...about, description, default: value });
}

/** A closed group of keys: unknown ones are errors. */
export function section<T extends z.ZodRawShape>(description: string, shape: T): z.ZodObject<T, z.core.$strict> {
  return z.strictObject(shape).meta({ description });
}

/** A section whose keys belong to somebody else: a user's function, an engine, a plugin. */
export function open(description: string, about: About = {}): z.ZodRecord<z.ZodString, z.ZodUnknown> {
  return z.record(z.string(), z.unknown()).meta({ ...about, description, default: {} });
}

export function keyInfo(type: z.ZodType): KeyInfo {
  return (type.meta() ?? { description: "" }) as unknown as KeyInfo;
}

/** One string or a list of them; a list after validation. */
export const strings = () =>
  z.union([z.string(), z.array(z.string())]).transform((value) => (typeof value === "string" ? [value] : value));

export const text = () => z.string();
/** Of what names a folder, or something in one: nothing would be the folder around it. */
export const name = () => z.string().min(1);
/** For {@link name}. */
export const NAME = { form: "text that is not empty" } as const;
export const optionalText = () => z.string().nullable();
export const flag = () => z.boolean();
export const count = (most?: number) => atMost(z.int().min(1), most);
export const optionalCount = (most?: number) => count(most).nullable();
const atMost = (type: z.ZodInt, most: number | undefined) => (most === undefined ? type : type.max(most));
export const natural = (most?: number) => atMost(z.int().min(0), most);
/** A step interval; -1 or 0 switches off. */
export const interval = () => z.int().min(-1);
export const real = () => z.number();
export const nonNegative = () => z.number().min(0);
export const positive = () => z.number().gt(0);
export const fraction = () => z.number().min(0).max(1);

/** A user's file and the name that it exports. */
export const userExport = (what: string, name: string | null) =>
  section(`${what} from a user file.`, {
    path: key(optionalText(), null, "File (relative to the working directory), `file:` URL or package.", {
      file: true,
    }),
    name: key(optionalText(), name, "Name of the export."),
  });
