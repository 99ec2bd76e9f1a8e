import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isVerlError } from "../../host/errors.js";
import { familyOf, familyOfClass } from "../families/index.js";
import { compareTensors, some } from "../hf-tensors.js";
import { fileExists, readOptionalSettings, readSettings } from "../json-file.js";
import type { HeadKind, ModelConfig } from "../model.js";
import { parseModelConfig } from "../model-config.js";
import { parameterSpecs, weightOf } from "../param-names.js";
import { RandomAccessFile } from "../random-access-file.js";
import { readSafetensorsHeader, type SafetensorsEntry } from "../safetensors-header.js";
import { lookAtBits, lookAtDoubles } from "./float-bits.js";
import { problemOf } from "./problem-of.js";
import type { ScannedTensor, WeightInspection, WeightProblem } from "./weight-inspection.js";

const INDEX = "model.safetensors.index.json";
/** Bytes that are looked at at once. */
const PIECE_BYTES = 4 * 2 ** 20;

interface Stored {
  readonly file: RandomAccessFile;
  readonly entry: SafetensorsEntry;
}

/** Looks through a Hugging Face folder; what is wrong is collected, so that one look tells of everything. */
export async function inspectHfFolder(folder: string): Promise<WeightInspection> {
  const problems: WeightProblem[] = [];
  const config = await configOf(folder, problems);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".safetensors")).sort();
  const index = await readIndex(folder, names, problems);
  const wanted = index ? [...new Set(index.values())] : chosenFiles(names, folder, problems);
  const stored = new Map<string, Stored>();
  const files: RandomAccessFile[] = [];
  const unread = new Set<string>();
  for (const name of wanted)
    await openFile(join(folder, name), { stored, files, problems }).then((ok) => ok || unread.add(name));
  if (index) compareIndex(index, { stored, unread, names, folder, problems });
  if (config && files.length > 0) {
    compareModel(config, { stored, index, unread, folder, problems });
    await compareTie(config, { stored, folder, problems });
  }
  const dtypes = new Map<string, number>();
  for (const { entry } of stored.values()) dtypes.set(entry.dtype, (dtypes.get(entry.dtype) ?? 0) + 1);
  return {
    format: "hf",
    config,
    parameters: config ? parameterSpecs(config).reduce((sum, { shape }) => sum + elementsOf(shape), 0) : 0,
    files: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    dtypes,
    problems,
    tensors: [...stored.values()].flatMap((one) => scanned(one) ?? []),
    close: async () => {
      await Promise.all(files.map((file) => file.close()));
    },
  };
}

async function configOf(folder: string, problems: WeightProblem[]): Promise<ModelConfig | null> {
  const where = join(folder, "config.json");
  try {
    const raw = await readSettings(where);
    const generationConfig = await readOptionalSettings(join(folder, "generation_config.json"));
    return parseModelConfig(raw, { generationConfig, where, head: headOf(raw) });
  } catch (error) {
    problems.push(problemOf(error));
    return null;
  }
}

/** What the model computes, by the class that its configuration names. */
function headOf(raw: Readonly<Record<string, unknown>>): HeadKind {
  const name = Array.isArray(raw.architectures) ? String(raw.architectures[0]) : "";
  const family = familyOf(raw.model_type) ?? familyOfClass(name);
  const found = Object.entries(family?.classes ?? {}).find(([, own]) => own === name);
  return (found?.[0] as HeadKind | undefined) ?? "languageModel";
}

/** Files by tensor, from the index where there is one and `model.safetensors` is not there in its place. */
async function readIndex(
  folder: string,
  names: readonly string[],
  problems: WeightProblem[],
): Promise<ReadonlyMap<string, string> | null> {
  const path = join(folder, INDEX);
  if (names.includes("model.safetensors") || !(await fileExists(path))) return null;
  try {
    const { weight_map: map } = await readSettings(path);
    if (typeof map !== "object" || map === null || Array.isArray(map)) throw new Error(`${INDEX} has no weight_map`);
    // A shard lies beside the index, and nowhere else.
    const isPlain = (file: unknown): file is string => typeof file === "string" && /^[^\\/]+\.safetensors$/.test(file);
    const entries = Object.entries(map);
    const odd = entries.filter(([, file]) => !isPlain(file));
    if (odd.length > 0) {
      problems.push({
        level: "problem",
        what: `the index puts ${some(odd.map(([name]) => name))} into something that is no file name`,
        where: path,
        fix: "download the index again",
      });
    }
    return new Map(entries.filter((entry): entry is [string, string] => isPlain(entry[1])));
  } catch (error) {
    problems.push({ ...problemOf(error), where: path });
    return null;
  }
}

function chosenFiles(names: readonly string[], folder: string, problems: WeightProblem[]): string[] {
  if (names.includes("model.safetensors")) return ["model.safetensors"];
  if (names.length === 1) return [...names];
  problems.push({
    level: "problem",
    what:
      names.length === 0
        ? "there are no safetensors files"
        : `there are ${names.length} safetensors files and no ${INDEX} that says what is where`,
    where: folder,
    fix:
      names.length === 0 ? "add model.safetensors; other forms of weights are not read" : `download ${INDEX} as well`,
  });
  return [...names];
}

/** Reads a file's header; false where it cannot be read. */
async function openFile(
  path: string,
  found: {
    readonly stored: Map<string, Stored>;
    readonly files: RandomAccessFile[];
    readonly problems: WeightProblem[];
  },
): Promise<boolean> {
  let file: RandomAccessFile | undefined;
  try {
    file = await RandomAccessFile.open(path);
    const { entries } = await readSafetensorsHeader(file);
    const twice: string[] = [];
    for (const [name, entry] of entries) {
      if (found.stored.has(name)) twice.push(name);
      else found.stored.set(name, { file, entry });
    }
    if (twice.length > 0) {
      found.problems.push({ level: "problem", what: `${some(twice)} is in two files`, where: path });
    }
    found.files.push(file);
    return true;
  } catch (error) {
    await file?.close();
    if (!isVerlError(error)) throw error;
    found.problems.push(problemOf(error));
    return false;
  }
}

interface Comparison {
  readonly stored: ReadonlyMap<string, Stored>;
  /** Files that could not be read: what they hold is not missed a second time. */
  readonly unread: ReadonlySet<string>;
  readonly folder: string;
  readonly problems: WeightProblem[];
}

function compareIndex(
  index: ReadonlyMap<string, string>,
  { stored, unread, names, folder, problems }: Comparison & { readonly names: readonly string[] },
): void {
  const where = join(folder, INDEX);
  const readable = [...index].filter(([, file]) => !unread.has(file));
  const absent = readable.filter(([name]) => !stored.has(name));
  if (absent.length > 0) {
    problems.push({
      level: "problem",
      what: `the index speaks of ${some(absent.map(([name]) => name))}, which is not in ${some([...new Set(absent.map(([, file]) => file))], "")}`,
      where,
      fix: "download the shards and the index again: they do not belong together",
    });
  }
  const elsewhere = readable.filter(([name, file]) => stored.has(name) && !stored.get(name)?.file.path.endsWith(file));
  if (elsewhere.length > 0) {
    problems.push({
      level: "problem",
      what: `the index puts ${some(elsewhere.map(([name]) => name))} into another shard than the one that has it`,
      where,
      fix: "download the index again",
    });
  }
  const unnamed = [...stored.keys()].filter((name) => !index.has(name));
  if (unnamed.length > 0) {
    problems.push({
      level: "problem",
      what: `the shards hold ${some(unnamed)}, of which the index does not speak`,
      where,
    });
  }
  const strays = names.filter((name) => ![...index.values()].includes(name));
  if (strays.length > 0) {
    problems.push({ level: "warning", what: `the index does not name ${some(strays, "")}: not read`, where: folder });
  }
}

function compareModel(
  config: ModelConfig,
  { stored, index, unread, folder, problems }: Comparison & { readonly index: ReadonlyMap<string, string> | null },
): void {
  const reader = { names: [...stored.keys()], get: (name: string) => stored.get(name)?.entry };
  const { missing, wrongShapes, unexpected, stored: used } = compareTensors(config, reader);
  const add = (what: string, fix: string) => problems.push({ level: "problem", what, where: folder, fix });
  const isElsewhere = (name: string) => unread.has(index?.get(name) ?? "") || (unread.size > 0 && index === null);
  const missed = missing.filter((name) => !isElsewhere(name));
  if (missed.length > 0) {
    add(`${missed.length} of the tensors of a ${config.modelType} are not there: ${some(missed)}`, BELONG);
  }
  if (wrongShapes.length > 0) {
    const shown = wrongShapes
      .slice(0, SHOWN)
      .map(
        ({ name, shape, wanted }) => `"${name}" is [${shape.join(", ")}], config.json asks for [${wanted.join(", ")}]`,
      );
    const rest = wrongShapes.length > SHOWN ? ` and ${wrongShapes.length - SHOWN} more` : "";
    add(`${wrongShapes.length} tensors have another shape than the model: ${shown.join("; ")}${rest}`, BELONG);
  }
  if (unexpected.length > 0) {
    add(
      `the files hold weights that a ${config.modelType} of this configuration does not have: ${some(unexpected)}`,
      BELONG,
    );
  }
  const packed = [...used.values()].filter((name) => !(stored.get(name)!.entry.dtype in ELEMENT_BYTES));
  if (packed.length > 0) {
    const types = new Set(packed.map((name) => stored.get(name)!.entry.dtype));
    add(`${some(packed)} is stored as ${[...types].join(", ")}, which is not read`, "use weights of F32, F16 or BF16");
  }
}

/** A head in the files of a model that ties it to the embedding; told by the first and the last piece of both. */
async function compareTie(
  { tieWordEmbeddings, head, names }: ModelConfig,
  { stored, folder, problems }: Pick<Comparison, "stored" | "folder" | "problems">,
): Promise<void> {
  const embedding = stored.get(weightOf(names.embedding));
  const headName = weightOf(names.heads.languageModel);
  const own = stored.get(headName);
  if (!tieWordEmbeddings || head !== "languageModel" || !embedding || !own) return;
  const size = embedding.entry.end - embedding.entry.begin;
  if (own.entry.dtype !== embedding.entry.dtype || own.entry.end - own.entry.begin !== size) return;
  const length = Math.min(PIECE_BYTES, size);
  for (const offset of [0, size - length]) {
    const [a, b] = await Promise.all(
      [embedding, own].map(({ file, entry }) => file.bytes(entry.begin + offset, length)),
    );
    if (Buffer.compare(a, b) === 0) continue;
    problems.push({
      level: "problem",
      what: `tie_word_embeddings is true, but "${headName}" differs from the embedding`,
      where: folder,
      fix: "set tie_word_embeddings to false in config.json, or remove the tensor",
    });
    return;
  }
}

const SHOWN = 3;
const BELONG = "check that config.json belongs to these weights, and that all of them were downloaded";
const ELEMENT_BYTES = { F32: 4, F16: 2, BF16: 2, F64: 8 } as const;

/** Null for a tensor that holds no floating-point numbers. */
function scanned({ file, entry }: Stored): ScannedTensor | null {
  const { name, dtype, shape, begin, end } = entry;
  if (!(dtype in ELEMENT_BYTES)) return null;
  const type = dtype as keyof typeof ELEMENT_BYTES;
  const size = ELEMENT_BYTES[type];
  const elements = elementsOf(shape);
  const pieceElements = PIECE_BYTES / size;
  return {
    name,
    where: file.path,
    elements,
    isMatrix: shape.length > 1,
    bytes: end - begin,
    pieceElements,
    async look(index) {
      const count = Math.min(pieceElements, elements - index * pieceElements);
      const { buffer } = await file.bytes(begin + index * pieceElements * size, count * size);
      return type === "F64"
        ? lookAtDoubles(buffer as ArrayBuffer, count)
        : lookAtBits(buffer as ArrayBuffer, count, type);
    },
  };
}

const elementsOf = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1);
