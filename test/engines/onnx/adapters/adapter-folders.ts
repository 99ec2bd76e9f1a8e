import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  chooseModules,
  type LoraShape,
  loraParameterSpecs,
  type ModelConfig,
  parseModelConfig,
  writeAdapter,
  writeHfFolder,
} from "../../../../core/formats/index.js";
import type { AdapterCase } from "../families/peer-cases.js";
import { peerWeights } from "../families/peer-weights.js";

export interface AdapterFolders {
  readonly config: ModelConfig;
  readonly shape: LoraShape;
  readonly model: string;
  readonly adapter: string;
  readonly root: string;
}

export function shapeOf(config: ModelConfig, { adapter }: Pick<AdapterCase, "adapter">): LoraShape {
  const { rank, alpha, rslora = false } = adapter;
  return { rank, alpha, rslora, modules: chooseModules(config, adapter) };
}

/** Writes model and adapter of a case with the weights that the peer gives them. */
export async function writeCase(peer: AdapterCase, root: string): Promise<AdapterFolders> {
  const config = parseModelConfig(peer.config, { head: peer.head });
  const shape = shapeOf(config, peer);
  const [model, adapter] = [join(root, "model"), join(root, "adapter")];
  await writeHfFolder(model, { config, tensors: peerWeights(config), tokenizerFiles: null, dtype: "f32" });
  const tensors = peerWeights(config, loraParameterSpecs(config, shape));
  await writeAdapter(adapter, { config, shape, tensors, base: model });
  return { config, shape, model, adapter, root };
}

export async function withCase(peer: AdapterCase, body: (folders: AdapterFolders) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "verl-adapter-"));
  try {
    await body(await writeCase(peer, root));
  } finally {
    await rm(root, { recursive: true });
  }
}
