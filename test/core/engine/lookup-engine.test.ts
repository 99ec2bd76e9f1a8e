import { expect } from "chai";
import { type EngineFactory, type EngineRequest, engineKeys, lookupEngine } from "../../../core/engine/index.js";
import { isVerlError } from "../../../core/host/errors.js";

function factory(backend: string, devices: string[], vendors: string[] | null, isDefault = false): EngineFactory {
  const create = () => Promise.reject(new Error("not made in this test"));
  return { modelTypes: ["language_model"], backends: [backend], devices, vendors, isDefault, create };
}

function registryOf(...factories: EngineFactory[]) {
  return {
    items: () => factories.map((item) => ({ item, keys: engineKeys(item), owner: { name: "test", version: "1" } })),
  };
}

const request: EngineRequest = { modelType: "language_model", backend: null, device: "cpu", vendor: "cpu" };

describe("core/engine lookup", () => {
  const onnx = factory("onnx", ["cpu"], null, true);
  const cudaNvidia = factory("fsdp", ["cuda"], ["nvidia"]);
  const cudaAcme = factory("fsdp", ["cuda"], ["acme"]);

  it("takes the default engine of the device when no backend is named", () => {
    expect(lookupEngine(registryOf(factory("other", ["cpu"], null), onnx), request)).to.equal(onnx);
  });

  it("prefers (device, vendor) to the device alone", () => {
    const generic = factory("fsdp", ["cuda"], null);
    const asked = { ...request, backend: "fsdp", device: "cuda", vendor: "acme" };
    expect(lookupEngine(registryOf(generic, cudaNvidia, cudaAcme), asked)).to.equal(cudaAcme);
    expect(lookupEngine(registryOf(generic, cudaNvidia), asked)).to.equal(generic);
  });

  it("falls back to the CUDA engine for a CUDA-compatible chip, never to another device", () => {
    const asked = { ...request, backend: "fsdp", device: "cuda", vendor: "metax" };
    expect(lookupEngine(registryOf(cudaAcme, cudaNvidia), asked)).to.equal(cudaNvidia);
    expect(() => lookupEngine(registryOf(onnx), asked)).to.throw("VERL_ENGINE_NOT_FOUND");
  });

  it("lets variables choose backend, device and vendor; a named backend wins", () => {
    const registry = registryOf(onnx, cudaNvidia, cudaAcme);
    const env = { VERL_ENGINE: " fsdp ", VERL_ENGINE_DEVICE: "cuda", VERL_ENGINE_VENDOR: "acme" };
    expect(lookupEngine(registry, request, env)).to.equal(cudaAcme);
    expect(lookupEngine(registry, { ...request, backend: "onnx" }, { VERL_ENGINE: "fsdp" })).to.equal(onnx);
    expect(lookupEngine(registry, request, { VERL_ENGINE: "" })).to.equal(onnx);
  });

  it("names what was asked for and everything that is registered", () => {
    try {
      lookupEngine(registryOf(onnx, cudaNvidia), { ...request, backend: "megatron" }, { VERL_ENGINE_DEVICE: "npu" });
      expect.fail("found an engine");
    } catch (error) {
      if (!isVerlError(error)) throw error;
      expect(error.message).to.include("language_model").and.include("megatron").and.include("npu").and.include("cpu");
      expect(error.message).to.include("VERL_ENGINE_DEVICE=npu");
      expect(error.message).to.include("onnx").and.include("fsdp").and.include("nvidia");
    }
  });

  it("leaves out what another plugin has taken over", () => {
    const replacement = factory("onnx", ["cpu"], null);
    const entries = [
      { item: onnx, keys: [], owner: { name: "built-in", version: "1" } },
      { item: replacement, keys: engineKeys(replacement), owner: { name: "plugin", version: "1" } },
    ];
    expect(lookupEngine({ items: () => entries }, { ...request, backend: "onnx" })).to.equal(replacement);
  });
});
