import type { GlobalCounts, OutputName } from "../../algorithms/algebra.js";
import type { LossProgram } from "../../algorithms/loss-program.js";
import type { SequenceBatch } from "../../data/batch/sequence-batch.js";
import type { CallOptions } from "../../host/types.js";
import type { FusedResult } from "../backend.js";
import type { AdapterConfig, EngineOptions, ModelOutputs } from "../engine.js";
import type { EngineEnv, EngineRequest } from "../lookup-engine.js";

/** How a rank finds and makes its backend: as the driver did. */
export interface EngineCreation {
  readonly request: EngineRequest;
  readonly env: EngineEnv;
  /** Vendor of the driver's platform. */
  readonly platform: string;
  readonly options: EngineOptions;
}

/** What the driver asks of the process of a further rank. */
export interface RankCalls {
  create(args: { readonly creation: EngineCreation }): Promise<void>;
  load(args: object): Promise<void>;
  forward(args: { readonly batch: SequenceBatch; readonly outputs: readonly OutputName[] }): Promise<ModelOutputs>;
  backward(args: { readonly batch: SequenceBatch; readonly gradients: ModelOutputs }): Promise<void>;
  fused(args: {
    readonly batch: SequenceBatch;
    readonly loss: LossProgram;
    readonly counts: GlobalCounts;
  }): Promise<FusedResult | null>;
  zeroGrad(args: object): Promise<void>;
  addAdapter(args: { readonly name: string; readonly source: AdapterConfig }): Promise<void>;
  useAdapter(args: { readonly name: string }): Promise<void>;
  removeAdapter(args: { readonly name: string }): Promise<void>;
  enableAdapters(args: { readonly on: boolean }): Promise<void>;
  openExchange(args: { readonly file: string }): Promise<void>;
  /** Writes its gradients into the exchange from number `start` on, and clears them. */
  sendGradients(args: { readonly start: number }): Promise<void>;
  /** Takes its parameters from the exchange. */
  receiveParameters(args: object): Promise<void>;
  dispose(args: object): Promise<void>;
}

/** Every call names the engine that it is for: a process has one for each of the run's models. */
export type RankMethods = {
  readonly [C in keyof RankCalls]: (
    args: Parameters<RankCalls[C]>[0] & { readonly engine: number },
    options: Required<CallOptions>,
  ) => ReturnType<RankCalls[C]>;
};
