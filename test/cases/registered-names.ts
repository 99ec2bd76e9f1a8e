import { BUILTINS } from "../../cli/builtins.js";
import { whatIsRegistered } from "../../cli/runs/prepare-run.js";
import { createHost } from "../../core/index.js";

/** Names under which the built-ins are registered, by registry. */
export async function registeredNames(): Promise<Readonly<Record<string, readonly string[]>>> {
  const host = await createHost({ env: {}, builtins: BUILTINS });
  try {
    return (await whatIsRegistered(host)).names ?? {};
  } finally {
    await host.dispose();
  }
}
