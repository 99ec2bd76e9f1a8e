import { isVerlError } from "../../../../core/plugin.js";
import { openDevice } from "../../../../engines/onnx/devices/devices.js";
import { testGradients } from "../../../../engines/onnx/devices/test-gradients.js";
import { NvidiaPlatform } from "../../../../platforms/nvidia/index.js";
import { WebGpuPlatform } from "../../../../platforms/webgpu/index.js";
import { FAMILY_CONFIGS } from "../families/family-configs.js";

/**
 * `npm run check:device -- webgpu|cuda`: gradients of every family of models on a device against the processor's. Too long for the
 * tests, and most machines have no such device. Exit code 0: all agree; 1: one differs; 2: there is no device, with the reason.
 */
const PLATFORMS = { webgpu: new WebGpuPlatform(), cuda: new NvidiaPlatform() };

async function check(device: keyof typeof PLATFORMS): Promise<number> {
  const found = await PLATFORMS[device].probe();
  process.stdout.write(`${device}: ${found.status}, ${found.reason}\n`);
  if (found.status !== "yes") return 2;
  const runtime = await openDevice(device, PLATFORMS[device].vendorName);
  const provider = { deviceName: device, tested: true, openRuntime: async () => runtime };
  for (const [family, config] of Object.entries(FAMILY_CONFIGS)) {
    const started = Date.now();
    const worst = await testGradients(provider, [config]);
    process.stdout.write(`${family.padEnd(12)} ${worst.toExponential(1)} ${Date.now() - started} ms\n`);
  }
  process.stdout.write("Gradients of every family are the processor's within 1e-4 of each tensor.\n");
  return 0;
}

const [name = ""] = process.argv.slice(2);
if (!(name in PLATFORMS)) {
  process.stderr.write(`Name a device: ${Object.keys(PLATFORMS).join(" or ")}.\n`);
  process.exit(2);
}
process.exit(
  await check(name as keyof typeof PLATFORMS).catch((error: unknown) => {
    process.stderr.write(`${isVerlError(error) ? error.message : String(error)}\n`);
    return 1;
  }),
);
