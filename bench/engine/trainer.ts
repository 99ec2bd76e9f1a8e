import { countsOf, sftLoss } from "../../core/algorithms/index.js";
import type { SequenceBatch } from "../../core/plugin.js";
import { OnnxBackend } from "../../engines/onnx/backend/onnx-backend.js";
import type { Spin } from "../../engines/onnx/runtime/index.js";
import { adamW } from "../random-model.js";
import type { Workload } from "./workload.js";

const OPTIMIZER = adamW(1e-4);

export const STAGES = ["forward", "backward", "step"] as const;
export type Stage = (typeof STAGES)[number];

/** A model in the ONNX engine with the stages of its training step. */
export class Trainer {
  private readonly loss = sftLoss();

  private constructor(readonly backend: OnnxBackend) {}

  static async load({ config }: Pick<Workload, "config">, threads: number, spin: Spin = "briefly"): Promise<Trainer> {
    const backend = new OnnxBackend({
      model: { config, initSeed: 1 },
      optimizer: OPTIMIZER,
      topology: { rank: 0, size: 1, isOutputSource: true },
      threads,
      seed: 1,
      extra: { spin },
    });
    await backend.load();
    return new Trainer(backend);
  }

  /** `batch` in one piece or in parts. */
  async run(stage: Stage, batch: SequenceBatch, parts: readonly SequenceBatch[] = [batch]): Promise<void> {
    const { backend, loss } = this;
    if (stage === "forward") {
      for (const part of parts) await backend.forward(part, ["logProb"]);
      return;
    }
    await backend.zeroGrad();
    const counts = countsOf(batch);
    for (const part of parts) await backend.fused(part, loss, counts);
    if (stage === "backward") return;
    const norm = await backend.gradNorm();
    await backend.step({ lr: OPTIMIZER.lr, gradScale: Math.min(1, 1 / (norm + 1e-6)), optimizer: OPTIMIZER });
  }

  dispose(): Promise<void> {
    return this.backend.dispose();
  }
}
