import { SafetensorsReader, type TensorSpec, writeSafetensors } from "../../../core/formats/index.js";
import type { CallOptions } from "../../../core/plugin.js";
import { errors } from "../errors.js";
import type { Optimizer } from "../optimizer/optimizer.js";
import { AVERAGE } from "../optimizer/parameter-groups.js";
import type { ParameterStore } from "./parameter-store.js";

/** Metadata of the file. */
const STEPS = "steps";
const NAME = "optimizer";

const prefixOf = (array: string) => `${array}.`;

/** Write the arrays of the update rules, `{array}.{parameter}` in float32, and the number of updates. */
export async function writeOptimizer(file: string, store: ParameterStore, optimizer: Optimizer): Promise<void> {
  const layout: TensorSpec[] = store.stateNames.flatMap((array) => specsOf(store, array));
  await writeSafetensors(file, tensors(store), {
    layout,
    dtype: "f32",
    metadata: { format: "pt", [NAME]: optimizer.name, [STEPS]: String(optimizer.steps) },
  });
}

/** Read what {@link writeOptimizer} wrote. Refuses the state of another optimizer before anything is changed. */
export async function readOptimizer(
  file: string,
  store: ParameterStore,
  optimizer: Optimizer,
  { signal }: CallOptions = {},
): Promise<void> {
  const reader = await SafetensorsReader.open(file);
  try {
    const wanted = store.stateNames.flatMap((array) => specsOf(store, array));
    checkState(reader, wanted, optimizer, file);
    for (const array of store.stateNames) {
      for (const parameter of store.parameters) {
        signal?.throwIfAborted();
        const into = store.state(array, parameter);
        if (into) await reader.readF32(prefixOf(array) + parameter.name, into);
      }
    }
    optimizer.steps = Number(reader.metadata[STEPS]);
  } finally {
    await reader.close();
  }
}

function checkState(
  reader: SafetensorsReader,
  wanted: readonly TensorSpec[],
  optimizer: Optimizer,
  where: string,
): void {
  // Files of earlier versions do not name AdamW, which was the only one.
  const { [NAME]: name = "adamw", [STEPS]: steps } = reader.metadata;
  const other = (what: string) => errors.VERL_ONNX_OTHER_OPTIMIZER({ what, where });
  if (name !== optimizer.name) throw other(`the checkpoint was written with ${name}, this run has ${optimizer.name}`);
  for (const { name, shape } of wanted) {
    const stored = reader.get(name);
    if (!stored && name.startsWith(prefixOf(AVERAGE))) {
      throw other("the checkpoint was written without a moving average of the weights, this run keeps one");
    }
    if (!stored) throw other(`the checkpoint has no ${name}: it was written with other settings of ${optimizer.name}`);
    if (stored.shape.join() !== shape.join()) {
      throw errors.VERL_ONNX_BAD_CHECKPOINT({
        what: `${name} has shape [${stored.shape}], this model has [${shape}]`,
        where,
      });
    }
  }
  if (!Number.isSafeInteger(Number(steps ?? Number.NaN))) {
    throw errors.VERL_ONNX_BAD_CHECKPOINT({ what: "the file does not say how many updates were done", where });
  }
}

function* tensors(store: ParameterStore) {
  for (const array of store.stateNames) yield* store.named((p) => store.state(array, p), prefixOf(array));
}

function specsOf(store: ParameterStore, array: string): TensorSpec[] {
  return [...store.named((parameter) => store.state(array, parameter), prefixOf(array))];
}
