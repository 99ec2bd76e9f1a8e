import type { LoraShape, ModelConfig } from "../../core/formats/index.js";
import {
  type AdapterConfig,
  type EngineCheck,
  type EngineOptions,
  findProblems,
  type PlanFinding,
  type PlannedModel,
  type RolloutCheck,
  type RolloutOptions,
} from "../../core/plugin.js";
import { rankWarnings, refuseBadAdapter, refuseUselessRank } from "./adapters/adapter-check.js";
import { engineCapabilities } from "./capabilities.js";
import { HEADS } from "./heads.js";
import { checkOptimizer } from "./optimizer/rules.js";
import { parseEngineKwargs } from "./options.js";
import { describedShape, plannedModel, plannedReader, readAdapterShape } from "./planned-model.js";
import { ROLLOUT_CAPABILITIES } from "./rollout/capabilities.js";
import { parseOnnxOptions } from "./rollout/options.js";
import { parseQuantization } from "./rollout/quantization.js";

/** What an engine that would be made from these options could not do. */
export async function checkOnnxEngine(options: EngineOptions, device: string): Promise<EngineCheck> {
  const { modelType = "language_model", model, optimizer, adapter, extra } = options;
  const head = HEADS[modelType];
  const found: { config: ModelConfig | null } = { config: null };
  const findings = await findProblems([
    ["extra", () => parseEngineKwargs(extra)],
    ["optimizer.name", () => optimizer && checkOptimizer(optimizer)],
    [
      "model",
      async () => {
        found.config = await (optimizer ? plannedModel(model, head) : plannedReader(model, head));
      },
    ],
  ]);
  const { config } = found;
  if (config && adapter) findings.push(...(await checkAdapter(adapter, config, optimizer !== null)));
  return { capabilities: engineCapabilities(modelType, device), model: plannedSizes(config), findings };
}

/** What a server that would be made from these options could not do. */
export async function checkRollout({ model, extra, quantization }: RolloutOptions): Promise<RolloutCheck> {
  const found: { config: ModelConfig | null } = { config: null };
  const findings = await findProblems([
    ["extra", () => parseOnnxOptions(extra)],
    ["quantization", () => parseQuantization(quantization)],
    [
      "model",
      async () => {
        found.config = await plannedModel(model);
      },
    ],
  ]);
  return { capabilities: ROLLOUT_CAPABILITIES, model: plannedSizes(found.config), findings };
}

async function checkAdapter(adapter: AdapterConfig, config: ModelConfig, trains: boolean): Promise<PlanFinding[]> {
  const found: { shape: LoraShape | null } = { shape: null };
  const isRead = "path" in adapter;
  const findings = await findProblems([
    ["adapter.rank", () => isRead || refuseBadAdapter(adapter)],
    [
      isRead ? "adapter.path" : "adapter.targetModules",
      async () => {
        found.shape = isRead ? await readAdapterShape(adapter.path, config, trains) : describedShape(adapter, config);
      },
    ],
  ]);
  const { shape } = found;
  if (!shape || findings.length > 0) return findings;
  // What was trained elsewhere is taken as it is.
  const useless = isRead ? [] : await findProblems([["adapter.rank", () => refuseUselessRank(config, shape)]]);
  return [...useless, ...rankWarnings(config, shape)];
}

function plannedSizes(config: ModelConfig | null): PlannedModel | null {
  return config && { vocabSize: config.vocabSize, maxPositions: config.maxPositions };
}
