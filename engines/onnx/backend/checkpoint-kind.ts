import path from "node:path";
import { fileExists, type LoraShape, type ModelConfig, readJsonObject } from "../../../core/formats/index.js";
import { errors } from "../errors.js";

/** Weights of a whole model. */
export const MODEL_FILE = "model.safetensors";
/** Which adapters a checkpoint holds. */
export const INDEX_FILE = "adapters.json";
/** As PEFT lays out several adapters: the default one at the top, the others in folders inside. */
export const ADAPTER_FOLDER = "lora_adapter";

type Sizes = Pick<LoraShape, "rank" | "alpha" | "rslora">;

/** Refuses the checkpoint of an adapter where the whole model is trained. */
export async function refuseAdapterCheckpoint(dir: string, { head }: Pick<ModelConfig, "head">): Promise<void> {
  if ((await fileExists(path.join(dir, MODEL_FILE))) || !(await fileExists(path.join(dir, INDEX_FILE)))) return;
  const sizes = await savedSizes(dir);
  throw errors.VERL_ONNX_BAD_CHECKPOINT({
    what: `it holds an adapter${sizes ? ` of ${sizesText(sizes)}` : ""}, and this run trains the whole model`,
    where: dir,
    fix: sizes
      ? `set ${settingsFor(sizes, head)}, or begin anew with trainer.resume_mode=disable`
      : `set ${sectionOf(head)}.lora_rank to the rank of the adapter, or begin anew with trainer.resume_mode=disable`,
  });
}

/** Refuses the checkpoint of a whole model where an adapter is trained. */
export async function refuseModelCheckpoint(dir: string, { head }: Pick<ModelConfig, "head">): Promise<void> {
  if ((await fileExists(path.join(dir, INDEX_FILE))) || !(await fileExists(path.join(dir, MODEL_FILE)))) return;
  throw errors.VERL_ONNX_BAD_CHECKPOINT({
    what: "it holds a whole model, and this run trains an adapter",
    where: dir,
    fix: `set ${sectionOf(head)}.lora_rank=0 and no lora_adapter_path, or begin anew with trainer.resume_mode=disable`,
  });
}

/** Refuses an adapter that is not of the shape that this run trains. */
export function refuseOtherShape(
  name: string,
  { saved, wanted }: { readonly saved: LoraShape; readonly wanted: LoraShape },
  { head }: Pick<ModelConfig, "head">,
  where: string,
): void {
  if (JSON.stringify(saved) === JSON.stringify(wanted)) return;
  const modules = saved.modules.join() === wanted.modules.join();
  const told = (shape: LoraShape) => `${sizesText(shape)}, ${shape.modules.length} modules`;
  throw errors.VERL_ONNX_BAD_CHECKPOINT({
    what: `adapter "${name}" is of ${told(saved)}; in this run it is of ${told(wanted)}`,
    where,
    fix: `set ${settingsFor(saved, head)}${modules ? "" : " and the target_modules and exclude_modules of the run that wrote it"}, or begin anew with trainer.resume_mode=disable`,
  });
}

const sizesText = ({ rank, alpha, rslora }: Sizes) => `rank ${rank}, alpha ${alpha}${rslora ? ", rslora" : ""}`;

/** What makes a run train an adapter of these sizes. */
function settingsFor({ rank, alpha, rslora }: Sizes, head: ModelConfig["head"]): string {
  const section = sectionOf(head);
  return `${section}.lora_rank=${rank} ${section}.lora_alpha=${alpha} ${section}.use_rslora=${rslora}`;
}

/** Where the configuration says which adapter is trained. */
const sectionOf = (head: ModelConfig["head"]) =>
  head === "languageModel" ? "actor_rollout_ref.model" : "critic.model";

/** Null where the adapter's own configuration is missing or unreadable: a message may do without. */
async function savedSizes(dir: string): Promise<Sizes | null> {
  const file = path.join(dir, ADAPTER_FOLDER, "adapter_config.json");
  const { r, lora_alpha: alpha, use_rslora: rslora } = await readJsonObject(file).catch(() => ({ r: null }) as never);
  return typeof r === "number" && typeof alpha === "number" ? { rank: r, alpha, rslora: rslora === true } : null;
}
