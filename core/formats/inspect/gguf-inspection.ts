import { type GgufModelConfig, readGgufConfig } from "../gguf/gguf-config.js";
import { GgufFile, type GgufTensor } from "../gguf/gguf-file.js";
import { type StoredParameter, storedParameters } from "../gguf/gguf-names.js";
import { unreadTensors } from "../gguf/gguf-source.js";
import { READABLE_TYPES } from "../gguf/types.js";
import { some } from "../hf-tensors.js";
import type { ModelConfig } from "../model.js";
import { isNewHead, parameterSpecs } from "../param-names.js";
import { lookAtBits } from "./float-bits.js";
import { problemOf } from "./problem-of.js";
import type { ScannedTensor, WeightInspection, WeightProblem } from "./weight-inspection.js";

/** Elements that are expanded and looked at at once; a multiple of every type's block. */
const PIECE_ELEMENTS = 2 ** 20;

/** Looks through a GGUF file, with its other parts where it is the first of several. */
export async function inspectGguf(path: string): Promise<WeightInspection> {
  let file: GgufFile;
  try {
    file = await GgufFile.open(path);
  } catch (error) {
    const nothing = { config: null, parameters: 0, files: 0, bytes: 0, dtypes: new Map<string, number>() };
    return { format: "gguf", ...nothing, problems: [problemOf(error)], tensors: [], close: async () => {} };
  }
  const problems: WeightProblem[] = [];
  const model = await modelOf(file, problems);
  if (model) compareModel(model.config, file, problems);
  const tensors = [...file.tensors.values()];
  const dtypes = new Map<string, number>();
  for (const { type } of tensors) dtypes.set(type.name, (dtypes.get(type.name) ?? 0) + 1);
  const files = new Map(tensors.map((tensor) => [tensor.file.path, tensor.file.size]));
  const specs = model ? parameterSpecs(model.config) : [];
  return {
    format: "gguf",
    config: model?.config ?? null,
    parameters: specs.reduce((sum, { shape }) => sum + elementsOf(shape), 0),
    files: files.size,
    bytes: [...files.values()].reduce((sum, size) => sum + size, 0),
    dtypes,
    problems,
    tensors: tensors.flatMap((tensor) => scanned(file, tensor) ?? []),
    close: () => file.close(),
  };
}

async function modelOf(file: GgufFile, problems: WeightProblem[]): Promise<GgufModelConfig | null> {
  try {
    return await readGgufConfig(file);
  } catch (error) {
    problems.push(problemOf(error));
    return null;
  }
}

function compareModel(config: ModelConfig, file: GgufFile, problems: WeightProblem[]): void {
  const add = (what: string, fix?: string) =>
    problems.push({ level: "problem", what, where: file.path, ...(fix === undefined ? {} : { fix }) });
  const parameters = parameterSpecs(config).filter((parameter) => !isNewHead(config, parameter));
  const stored = storedParameters(config, parameters);
  const missing = stored.filter(({ name }) => !file.tensors.has(name));
  if (missing.length > 0) {
    const names = some(missing.map(({ name }) => name));
    add(
      `${missing.length} of the tensors of a ${config.modelType} are not there: ${names}`,
      "download or convert the file again",
    );
  }
  const isWrong = ({ name, shape }: StoredParameter) => {
    const found = file.tensors.get(name)?.shape;
    return found !== undefined && found.join() !== shape.join();
  };
  const wrong = stored.filter(isWrong);
  if (wrong.length > 0) {
    const [{ name, shape }] = wrong;
    const found = file.tensors.get(name)?.shape ?? [];
    const first = `"${name}" is [${found.join(", ")}], the metadata ask for [${shape.join(", ")}]`;
    add(`${wrong.length} tensors have another shape than the model: ${first}${wrong.length > 1 ? " …" : ""}`);
  }
  const unread = unreadTensors(config, file, new Set(stored.map(({ name }) => name)));
  if (unread.length > 0) add(`the file holds ${some(unread)}, which the family ${config.modelType} does not have`);
  const packed = stored.filter(({ name }) => file.tensors.get(name)?.type.dequantise === null);
  if (packed.length > 0) {
    const types = new Set(packed.map(({ name }) => file.tensors.get(name)?.type.name));
    const names = some(packed.map(({ name }) => name));
    add(
      `${names} is stored as ${[...types].join(", ")}, which is not read`,
      `convert it to one of ${READABLE_TYPES.join(", ")}`,
    );
  }
}

/** Null for a tensor of a type that is not expanded. */
function scanned(file: GgufFile, tensor: GgufTensor): ScannedTensor | null {
  const { name, shape, type } = tensor;
  if (!type.dequantise) return null;
  const { blockElements, blockBytes } = type;
  const elements = elementsOf(shape);
  return {
    name,
    where: tensor.file.path,
    elements,
    isMatrix: shape.length > 1,
    bytes: (elements / blockElements) * blockBytes,
    pieceElements: PIECE_ELEMENTS,
    async look(index) {
      const count = Math.min(PIECE_ELEMENTS, elements - index * PIECE_ELEMENTS);
      const values = new Float32Array(count);
      const buffer = new Uint8Array((count / blockElements) * blockBytes);
      await file.readBlocks(tensor, (index * PIECE_ELEMENTS) / blockElements, values, buffer);
      return lookAtBits(values.buffer, count, "F32");
    },
  };
}

const elementsOf = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1);
