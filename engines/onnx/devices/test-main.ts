import { isVerlError, reasonOf } from "../../../core/plugin.js";
import { selfTest } from "../runtime/self-test.js";
import { type OnnxDevice, openUntested } from "./devices.js";
import { testGradients } from "./test-gradients.js";

/** Entry of the child process: `node test-main.js <device>`; exit code 0 means that the device computes right. */
try {
  const device = process.argv[2] as OnnxDevice;
  const runtime = await openUntested(device);
  await selfTest(runtime);
  await testGradients({ deviceName: device, tested: true, openRuntime: async () => runtime });
  process.exit(0);
} catch (error) {
  const why = isVerlError(error) ? (error.why ?? error.what) : reasonOf(error);
  process.stderr.write(`failed: ${why.replaceAll("\n", " ")}\n`);
  process.exit(1);
}
