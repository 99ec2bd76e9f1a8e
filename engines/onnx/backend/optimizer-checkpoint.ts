import path from "node:path";
import {
  fileExists,
  requireFinite,
  SafetensorsReader,
  type TensorSpec,
  writeSafetensors,
} from "../../../core/formats/index.js";
import type { CallOptions, OptimizerConfig } from "../../../core/plugin.js";
import { errors } from "../errors.js";
import type { Optimizer } from "../optimizer/optimizer.js";
import { AVERAGE } from "../optimizer/parameter-groups.js";
import type { ParameterStore } from "./parameter-store.js";

/** What is done about values of a checkpoint that are not finite: nobody has downloaded it. */
export const CHECKPOINT_FIX =
  "go on from an earlier checkpoint (trainer.resume_mode=resume_path trainer.resume_from_path=…/global_step_N) or begin anew with trainer.resume_mode=disable; if the values are meant, set the engine's option allowNonFinite";

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
  { signal, allowNonFinite = false }: CallOptions & { readonly allowNonFinite?: boolean } = {},
): Promise<void> {
  const reader = await SafetensorsReader.open(file);
  try {
    const wanted = store.stateNames.flatMap((array) => specsOf(store, array));
    checkState(reader, wanted, optimizer, file);
    for (const array of store.stateNames) {
      for (const parameter of store.parameters) {
        signal?.throwIfAborted();
        const into = store.state(array, parameter);
        if (!into) continue;
        const name = prefixOf(array) + parameter.name;
        await reader.readF32(name, into);
        if (!allowNonFinite) requireFinite(name, into, file, CHECKPOINT_FIX);
      }
    }
    optimizer.steps = Number(reader.metadata[STEPS]);
  } finally {
    await reader.close();
  }
}

/** Refuses a file that {@link readOptimizer} would refuse, as far as its header tells. */
export async function checkOptimizerFile(file: string, { name, emaDecay }: OptimizerConfig): Promise<void> {
  await requireFile(file);
  const reader = await SafetensorsReader.open(file);
  try {
    requireOptimizer(reader, name, file);
    if (emaDecay != null && !reader.names.some((stored) => stored.startsWith(prefixOf(AVERAGE)))) {
      throw withoutAverage(file);
    }
  } finally {
    await reader.close();
  }
}

export async function requireFile(file: string): Promise<void> {
  if (await fileExists(file)) return;
  throw errors.VERL_ONNX_BAD_CHECKPOINT({ what: `the checkpoint has no ${path.basename(file)}`, where: file });
}

function requireOptimizer(reader: SafetensorsReader, wanted: string, where: string): void {
  // Files of earlier versions do not name AdamW, which was the only one.
  const { [NAME]: name = "adamw" } = reader.metadata;
  if (name !== wanted) throw other(`the checkpoint was written with ${name}, this run has ${wanted}`, where);
}

const other = (what: string, where: string) => errors.VERL_ONNX_OTHER_OPTIMIZER({ what, where });
const withoutAverage = (where: string) =>
  other("the checkpoint was written without a moving average of the weights, this run keeps one", where);

function checkState(
  reader: SafetensorsReader,
  wanted: readonly TensorSpec[],
  optimizer: Optimizer,
  where: string,
): void {
  requireOptimizer(reader, optimizer.name, where);
  const { [STEPS]: steps } = reader.metadata;
  for (const { name, shape } of wanted) {
    const stored = reader.get(name);
    if (!stored && name.startsWith(prefixOf(AVERAGE))) throw withoutAverage(where);
    if (!stored) {
      throw other(`the checkpoint has no ${name}: it was written with other settings of ${optimizer.name}`, where);
    }
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
