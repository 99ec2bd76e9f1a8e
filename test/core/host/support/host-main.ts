/** Entry of a child process that makes a host in its working directory from its environment, as the command does. */
import { setTimeout as sleep } from "node:timers/promises";
import { isVerlError } from "../../../../core/host/index.js";
import { createHost } from "../../../../core/index.js";
import { cpuPlugin } from "../../../../platforms/cpu/index.js";

try {
  const host = await createHost({ builtins: [cpuPlugin], deadlineMs: Number(process.env.TEST_DEADLINE_MS ?? 10_000) });
  host.watchErrors((error) => {
    console.error(isVerlError(error) ? error.message : `not a plugin's: ${String(error)}`);
    process.exitCode = 3;
  });
  await sleep(Number(process.env.TEST_LINGER_MS ?? 0));
  await host.dispose();
} catch (error) {
  console.error(isVerlError(error) ? error.message : error);
  process.exitCode = 1;
}
