import type { ParameterSpec } from "../../../core/formats/index.js";
import type { DataParallelTopology, OptimizerConfig } from "../../../core/plugin.js";
import type { CompileGraph } from "../optimizer/muon.js";
import { Optimizer } from "../optimizer/optimizer.js";
import { type ParameterGroup, parameterGroups } from "../optimizer/parameter-groups.js";
import { optimizerRules } from "../optimizer/rules.js";
import type { OrtRuntime } from "../runtime/index.js";
import { ParameterStore } from "./parameter-store.js";

/** Parameters with what updates them; null: nothing does. */
export interface TrainedParameters {
  readonly store: ParameterStore;
  readonly optimizer: Optimizer | null;
}

export interface TrainingContext {
  readonly optimizer: OptimizerConfig | null;
  readonly topology: DataParallelTopology;
  readonly runtime: OrtRuntime;
  readonly compile: CompileGraph;
}

/** Ranks above 0 compute gradients and leave the updates to rank 0. */
const GRADIENTS_ONLY: ParameterGroup = { rule: { state: [], update() {} }, lrScale: 1, decays: false, state: [] };

/** Memory for parameters that an optimizer updates. The caller fills it, then calls `optimizer.restartAverage`. */
export function trainedParameters(
  specs: readonly ParameterSpec[],
  { optimizer: config, topology, runtime, compile }: TrainingContext,
): TrainedParameters {
  if (config === null) {
    return { store: new ParameterStore(runtime, specs.map(frozen)), optimizer: null };
  }
  const rules = () => parameterGroups(config, optimizerRules(config, { runtime, compile }));
  const groupOf = topology.rank > 0 ? () => GRADIENTS_ONLY : rules();
  const store = new ParameterStore(
    runtime,
    specs.map((spec) => ({ ...spec, group: groupOf(spec) })),
  );
  return { store, optimizer: new Optimizer(config.name, store.trained) };
}

const frozen = (spec: ParameterSpec) => ({ ...spec, group: null });
