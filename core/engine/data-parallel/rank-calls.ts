import type { GlobalCounts, OutputName } from "../../algorithms/algebra.js";
import type { LossProgram } from "../../algorithms/loss-program.js";
import type { SequenceBatch } from "../../data/sequence-batch.js";
import type { FusedResult } from "../backend.js";
import type { EngineOptions, ModelOutputs } from "../engine.js";
import type { EngineEnv, EngineRequest } from "../lookup-engine.js";

/** How a rank finds and makes its backend: as the driver did. */
export interface EngineCreation {
  readonly request: EngineRequest;
  readonly env: EngineEnv;
  /** Vendor of the driver's platform. */
  readonly platform: string;
  readonly options: EngineOptions;
}

/** What the driver asks of the process of a further rank: arguments and result by name of the call. */
export interface RankCalls {
  create: { args: { readonly creation: EngineCreation }; result: void };
  load: { args: object; result: void };
  forward: { args: { readonly batch: SequenceBatch; readonly outputs: readonly OutputName[] }; result: ModelOutputs };
  backward: { args: { readonly batch: SequenceBatch; readonly gradients: ModelOutputs }; result: void };
  fused: {
    args: { readonly batch: SequenceBatch; readonly loss: LossProgram; readonly counts: GlobalCounts };
    result: FusedResult | null;
  };
  zeroGrad: { args: object; result: void };
  openExchange: { args: { readonly file: string }; result: void };
  /** Writes its gradients into the exchange from number `start` on, and clears them. */
  sendGradients: { args: { readonly start: number }; result: void };
  /** Takes its parameters from the exchange. */
  receiveParameters: { args: object; result: void };
  dispose: { args: object; result: void };
}

/** Every call names the engine that it is for: a process has one for each of the run's models. */
export type RankArgs<C extends keyof RankCalls> = RankCalls[C]["args"] & { readonly engine: number };
