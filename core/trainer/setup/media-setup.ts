import path from "node:path";
import type { RunConfig } from "../../config/run-config.js";
import {
  type Dataset,
  dataErrors,
  MEDIA_KINDS,
  type MediaKind,
  MediaStore,
  mediaPartsOf,
  modelTypeOf,
  type ProcessorFactory,
  RunMedia,
  type Tokenizer,
} from "../../data/index.js";
import type { InputScope } from "../run-scope.js";

/** Where the data first shows a medium of each kind. */
export type ShownMedia = ReadonlyMap<MediaKind, string>;

/** The media of a run, with the processor of its model, if one is registered. */
export async function createRunMedia(scope: InputScope, tokenizer: Tokenizer): Promise<RunMedia> {
  const { config, cwd, services, signal } = scope;
  const { model } = config.actor_rollout_ref;
  const modelType = await typeOf(model, cwd);
  const factory = processorFor(services.registries.processors, config.data.processor, modelType);
  const source = model.path === null ? { config: model.config ?? {} } : { path: path.resolve(cwd, model.path) };
  const kwargs = config.data.mm_processor_kwargs;
  return new RunMedia({
    store: new MediaStore(),
    processor: factory && (await factory.create({ model: source, tokenizer, kwargs, signal })),
    tokenizer,
    model: modelType === null ? "models without a type" : `models of the type ${modelType}`,
  });
}

type Model = RunConfig["actor_rollout_ref"]["model"];

async function typeOf({ path: model, config }: Model, cwd: string): Promise<string | null> {
  if (model !== null) return modelTypeOf(path.resolve(cwd, model));
  return typeof config?.model_type === "string" ? config.model_type : null;
}

function processorFor(
  processors: InputScope["services"]["registries"]["processors"],
  name: string | null,
  modelType: string | null,
): ProcessorFactory | null {
  if (name !== null) return processors.require(name);
  return modelType === null ? null : processors.get(modelType);
}

/** The first row with a medium of each kind. One that the model does not understand is refused: it would never be seen. */
export function shownMedia(datasets: readonly (Dataset | null)[], { kinds }: Pick<RunMedia, "kinds">): ShownMedia {
  const shown = new Map<MediaKind, string>();
  for (const dataset of datasets) {
    for (let i = 0; i < (dataset?.length ?? 0) && shown.size < MEDIA_KINDS.length; i++) {
      const { messages, origin } = dataset!.at(i);
      for (const { kind } of mediaPartsOf(messages)) if (!shown.has(kind)) shown.set(kind, origin);
    }
  }
  for (const [kind, where] of shown) {
    if (kinds.includes(kind)) continue;
    throw dataErrors.VERL_DATA_NO_PROCESSOR({
      what: `a prompt holds a medium of the kind ${kind}, and the model has no processor for it`,
      where,
    });
  }
  return shown;
}
