import type { Registry } from "../host/registry/kind.js";
import type { EngineFactory, EngineModelType } from "./engine.js";
import { engineKey } from "./engine-keys.js";
import { engineErrors } from "./errors.js";

export interface EngineRequest {
  readonly modelType: EngineModelType;
  /** Null: the default engine of the device. */
  readonly backend: string | null;
  readonly device: string;
  readonly vendor: string | null;
}

/** Variables that decide which engine is looked up, not where tensors go. `VERL_ENGINE` matters where no backend is named. */
export type EngineEnv = Readonly<Partial<Record<"VERL_ENGINE" | "VERL_ENGINE_DEVICE" | "VERL_ENGINE_VENDOR", string>>>;

/**
 * Model type → backend → (device, vendor), then the device alone, then, for a CUDA-compatible chip of another vendor, the
 * engine for CUDA. Never across devices.
 */
export function lookupEngine(
  registry: Pick<Registry<EngineFactory>, "items">,
  request: EngineRequest,
  env: EngineEnv = {},
): EngineFactory {
  const { modelType, backend, device, vendor } = withVariables(request, env);
  const factories = registry.items().map(({ item }) => item);
  // By the keys that an item still holds: another plugin may have taken some of them over.
  const find = (vendor: string | null, exact: boolean) =>
    registry.items().find(({ item, keys }) => {
      const wanted = backend === null ? (item.isDefault ? item.backends : []) : [backend];
      return wanted.some((name) => {
        const key = engineKey(modelType, name, device, vendor);
        return keys.includes(key) || (!exact && keys.some((k) => k.startsWith(`${key}/`)));
      });
    })?.item;
  const found =
    (vendor === null ? undefined : find(vendor, true)) ??
    find(null, true) ??
    (vendor === null ? find(null, false) : undefined) ??
    (device === "cuda" ? find("nvidia", true) : undefined);
  if (found) return found;

  const asked = `model type ${modelType}, backend ${backend ?? "(default)"}, device ${device}, vendor ${vendor ?? "(any)"}`;
  const changed = ["VERL_ENGINE", "VERL_ENGINE_DEVICE", "VERL_ENGINE_VENDOR"]
    .map((name) => [name, set(env[name as keyof EngineEnv])])
    .filter(([, value]) => value !== null);
  const registered = factories.map(describe);
  throw engineErrors.VERL_ENGINE_NOT_FOUND({
    what: `no engine is registered for ${asked}`,
    where: changed.length > 0 ? changed.map(([name, value]) => `${name}=${value}`).join(" ") : undefined,
    why: registered.length > 0 ? `registered: ${registered.join("; ")}` : "no engine is registered at all",
    data: { modelType, backend, device, vendor, registered },
  });
}

/** Throws `VERL_ENGINE_UNAVAILABLE` with the reason where the engine that was found cannot compute on this machine. */
export async function checkAvailable(
  factory: EngineFactory,
  request: EngineRequest,
  env: EngineEnv = {},
): Promise<void> {
  const { device, vendor } = withVariables(request, env);
  const why = (await factory.unavailable?.({ deviceName: device, vendorName: vendor ?? "" })) ?? null;
  if (why === null) return;
  throw engineErrors.VERL_ENGINE_UNAVAILABLE({
    what: `the engine ${factory.backends.join(" or ")} cannot compute on ${[device, ...(vendor ? [vendor] : [])].join(" of ")}`,
    why,
  });
}

function withVariables(request: EngineRequest, env: EngineEnv): EngineRequest {
  return {
    modelType: request.modelType,
    backend: request.backend ?? set(env.VERL_ENGINE),
    device: set(env.VERL_ENGINE_DEVICE) ?? request.device,
    vendor: set(env.VERL_ENGINE_VENDOR) ?? request.vendor,
  };
}

/** Why no registered engine can compute on a platform, in words; null where one can. */
export async function whyNoEngine(
  registry: Pick<Registry<EngineFactory>, "items">,
  platform: { readonly deviceName: string; readonly vendorName: string },
): Promise<string | null> {
  const { deviceName: device, vendorName: vendor } = platform;
  const serves = ({ devices, vendors }: EngineFactory) =>
    devices.includes(device) &&
    (vendors === null || vendors.includes(vendor) || (device === "cuda" && vendors.includes("nvidia")));
  const candidates = registry.items().filter(({ item }) => serves(item));
  const reasons: string[] = [];
  for (const { item } of candidates) {
    const reason = (await item.unavailable?.(platform)) ?? null;
    if (reason === null) return null;
    reasons.push(reason);
  }
  return reasons.length > 0 ? [...new Set(reasons)].join("; ") : `no engine is registered for ${device}`;
}

function describe({ modelTypes, backends, devices, vendors, isDefault }: EngineFactory): string {
  const parts = [modelTypes, backends, devices, vendors ?? ["any vendor"]].map((list) => list.join("|"));
  return `${parts.join("/")}${isDefault ? " (default)" : ""}`;
}

function set(value: string | null | undefined): string | null {
  const trimmed = value?.trim();
  return trimmed ? trimmed : null;
}
