/** Entry of the real worker threads and child processes of these tests: joins the driver, then says what it can do. */

import { lineLogger, parentChannel } from "../../../../core/host/index.js";
import { createWorkerHost } from "../../../../core/index.js";
import { cpuPlugin } from "../../../../platforms/cpu/index.js";

const channel = parentChannel();
const quiet = lineLogger(() => {});
try {
  const host = await createWorkerHost({ builtins: [cpuPlugin], logger: quiet }, channel);
  channel.send({ type: "test/working", hooks: host.registries.hooks.keys(), role: host.role });
  await host.dispose();
} catch (error) {
  channel.send({ type: "test/refused", code: (error as { code?: string }).code });
  process.exitCode = 1;
}
channel.close();
