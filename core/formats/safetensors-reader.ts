import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { NamedTensor } from "../data/batch/tensor.js";
import { shown } from "../host/util/shown.js";
import { formatErrors } from "./errors.js";
import { bf16ToF32, f16ToF32 } from "./half.js";
import { readSettings } from "./json-file.js";
import { RandomAccessFile } from "./random-access-file.js";
import { readSafetensorsHeader, type SafetensorsEntry } from "./safetensors-header.js";

/** Elements converted at a time, so that reading a 16-bit tensor needs no second copy of it. */
const CHUNK_ELEMENTS = 1 << 20;

/** Tensors of one or several safetensors files, read one at a time. */
export class SafetensorsReader {
  private constructor(
    private readonly files: readonly RandomAccessFile[],
    private readonly index: ReadonlyMap<string, { readonly file: RandomAccessFile; readonly entry: SafetensorsEntry }>,
    readonly metadata: Readonly<Record<string, string>>,
  ) {}

  /** Open a `.safetensors` file, or the files that a `.safetensors.index.json` names. */
  static async open(path: string): Promise<SafetensorsReader> {
    return path.endsWith(".json") ? SafetensorsReader.openSharded(path) : SafetensorsReader.openFiles([path]);
  }

  /** The safetensors of a Hugging Face folder: `model.safetensors`, its sharded form, or the only such file; or null. */
  static async openFolder(folder: string): Promise<SafetensorsReader | null> {
    const names = await readdir(folder);
    for (const name of ["model.safetensors", "model.safetensors.index.json"]) {
      if (names.includes(name)) return SafetensorsReader.open(join(folder, name));
    }
    const found = names.filter((name) => name.endsWith(".safetensors"));
    return found.length === 1 ? SafetensorsReader.open(join(folder, found[0])) : null;
  }

  get names(): readonly string[] {
    return [...this.index.keys()];
  }

  get(name: string): SafetensorsEntry | undefined {
    return this.index.get(name)?.entry;
  }

  /** Read a floating-point tensor as float32. `into` must have its element count. */
  async readF32(name: string, into?: Float32Array): Promise<NamedTensor & { readonly data: Float32Array }> {
    const { file, entry } = this.find(name);
    const { dtype, shape, begin } = entry;
    const count = shape.reduce((product, size) => product * size, 1);
    if (into !== undefined && into.length !== count) {
      throw formatErrors.VERL_FORMATS_TENSOR_SHAPE({
        what: `tensor "${name}" has ${count} elements, but the buffer for it has ${into.length}`,
        where: file.path,
      });
    }
    if (!isFloat(dtype)) {
      throw formatErrors.VERL_FORMATS_DTYPE_UNSUPPORTED({
        what: `tensor "${name}" is stored as ${dtype}, which is not a plain floating-point type`,
        where: file.path,
      });
    }
    const data = into ?? new Float32Array(count);
    if (dtype === "F32") {
      await file.read(begin, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    } else {
      await readConverted(file, begin, dtype, data);
    }
    return { name, dtype: "f32", shape, data };
  }

  /** Read a tensor in its stored type: bits for F16 and BF16, BigInt for I64. */
  async readRaw(name: string): Promise<NamedTensor> {
    const { file, entry } = this.find(name);
    const { dtype, shape, begin, end } = entry;
    const raw = async () => (await file.bytes(begin, end - begin)).buffer as ArrayBuffer;
    switch (dtype) {
      case "F32":
        return { name, shape, dtype: "f32", data: new Float32Array(await raw()) };
      case "F64":
        return { name, shape, dtype: "f64", data: new Float64Array(await raw()) };
      case "F16":
        return { name, shape, dtype: "f16", data: new Uint16Array(await raw()) };
      case "BF16":
        return { name, shape, dtype: "bf16", data: new Uint16Array(await raw()) };
      case "I32":
        return { name, shape, dtype: "i32", data: new Int32Array(await raw()) };
      case "I64":
        return { name, shape, dtype: "i64", data: new BigInt64Array(await raw()) };
      case "U8":
        return { name, shape, dtype: "u8", data: new Uint8Array(await raw()) };
      case "BOOL":
        return { name, shape, dtype: "bool", data: new Uint8Array(await raw()) };
      default:
        throw formatErrors.VERL_FORMATS_DTYPE_UNSUPPORTED({
          what: `tensor "${name}" is stored as ${dtype}`,
          where: file.path,
        });
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.files.map((file) => file.close()));
  }

  private find(name: string) {
    const found = this.index.get(name);
    if (found) return found;
    throw formatErrors.VERL_FORMATS_TENSOR_MISSING({
      what: `there is no tensor "${name}"`,
      where: this.files.map((file) => file.path).join(", "),
    });
  }

  private static async openFiles(paths: readonly string[]): Promise<SafetensorsReader> {
    const files: RandomAccessFile[] = [];
    try {
      const index = new Map<string, { file: RandomAccessFile; entry: SafetensorsEntry }>();
      let metadata: Readonly<Record<string, string>> = {};
      for (const path of paths) {
        const file = await RandomAccessFile.open(path);
        files.push(file);
        const header = await readSafetensorsHeader(file);
        metadata = { ...metadata, ...header.metadata };
        for (const [name, entry] of header.entries) {
          const other = index.get(name);
          if (other) {
            throw formatErrors.VERL_FORMATS_SAFETENSORS_INVALID({
              what: `tensor "${name}" is in two files`,
              where: `${other.file.path}, ${path}`,
            });
          }
          index.set(name, { file, entry });
        }
      }
      return new SafetensorsReader(files, index, metadata);
    } catch (error) {
      await Promise.all(files.map((file) => file.close()));
      throw error;
    }
  }

  private static async openSharded(indexPath: string): Promise<SafetensorsReader> {
    const { weight_map: weightMap } = await readSettings(indexPath);
    if (typeof weightMap !== "object" || weightMap === null || Array.isArray(weightMap)) {
      throw formatErrors.VERL_FORMATS_JSON_INVALID({ what: `${indexPath} has no weight_map`, where: indexPath });
    }
    const fileOf = new Map<string, string>();
    for (const [name, file] of Object.entries(weightMap)) {
      // The index comes with the model and is not trusted: a shard lies beside it, nowhere else.
      if (typeof file !== "string" || file === "" || /[\\/]/.test(file) || basename(file) !== file || file === "..") {
        throw formatErrors.VERL_FORMATS_JSON_INVALID({
          what: `weight_map puts tensor "${name}" into ${shown(file)}, which is not a plain file name`,
          where: indexPath,
        });
      }
      fileOf.set(name, file);
    }
    const folder = dirname(indexPath);
    const reader = await SafetensorsReader.openFiles([...new Set(fileOf.values())].map((file) => join(folder, file)));
    for (const [name, file] of fileOf) {
      const found = reader.index.get(name);
      if (found && basename(found.file.path) === file) continue;
      await reader.close();
      throw formatErrors.VERL_FORMATS_TENSOR_MISSING({
        what: `weight_map puts tensor "${name}" into ${file}, but it is not there`,
        where: join(folder, file),
      });
    }
    return reader;
  }
}

type FloatDType = "F32" | "F16" | "BF16" | "F64";

function isFloat(dtype: string): dtype is FloatDType {
  return dtype === "F32" || dtype === "F16" || dtype === "BF16" || dtype === "F64";
}

async function readConverted(
  file: RandomAccessFile,
  begin: number,
  dtype: Exclude<FloatDType, "F32">,
  out: Float32Array,
): Promise<void> {
  const size = dtype === "F64" ? 8 : 2;
  const chunk = new ArrayBuffer(Math.min(out.length, CHUNK_ELEMENTS) * size);
  for (let start = 0; start < out.length; start += CHUNK_ELEMENTS) {
    const count = Math.min(CHUNK_ELEMENTS, out.length - start);
    await file.read(begin + start * size, new Uint8Array(chunk, 0, count * size));
    const target = out.subarray(start, start + count);
    if (dtype === "F64") target.set(new Float64Array(chunk, 0, count));
    else if (dtype === "F16") f16ToF32(new Uint16Array(chunk, 0, count), target);
    else bf16ToF32(new Uint16Array(chunk, 0, count), target);
  }
}
