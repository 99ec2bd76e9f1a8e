import type { EngineFactory } from "./engine.js";

/** The registry key of one combination: `modelType/backend/device` or `modelType/backend/device/vendor`. */
export function engineKey(modelType: string, backend: string, device: string, vendor: string | null): string {
  return [modelType, backend, device, ...(vendor ? [vendor] : [])].join("/");
}

/** One key for every combination that a factory serves. */
export function engineKeys({ modelTypes, backends, devices, vendors }: EngineFactory): readonly string[] {
  return modelTypes.flatMap((modelType) =>
    backends.flatMap((backend) =>
      devices.flatMap((device) => (vendors ?? [null]).map((vendor) => engineKey(modelType, backend, device, vendor))),
    ),
  );
}
