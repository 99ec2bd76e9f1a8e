import { createHost, isVerlError, sandboxErrors } from "verl-ts";

/**
 * Refuses before anything is trained where model-written programs cannot be isolated.
 *
 * @throws VERL_SANDBOX_UNAVAILABLE  with the reason and what to do
 */
export async function requireSandbox(name: string): Promise<void> {
  const host = await createHost();
  try {
    const { registries } = await host.services();
    const probe = await registries.sandboxes.require(name).probe();
    if (probe.available && probe.languages.includes("bash")) return;
    throw sandboxErrors.VERL_SANDBOX_UNAVAILABLE({
      what: `the sandbox "${name}" cannot run the programs of this example`,
      why: probe.available ? "it has no bash" : probe.reason,
      fix: `${probe.available || !probe.fix ? "" : `${probe.fix}; or `}use --calculator: a tool that runs no programs takes its place`,
    });
  } finally {
    await host.dispose();
  }
}

/** An error with a code as a person reads it; anything else is thrown on. */
export function explained(error: unknown): string {
  if (!isVerlError(error)) throw error;
  const { code, what, why, fix } = error;
  return [`${code}: ${what}`, ...(why ? [`  why: ${why}`] : []), ...(fix ? [`  fix: ${fix}`] : []), ""].join("\n");
}
