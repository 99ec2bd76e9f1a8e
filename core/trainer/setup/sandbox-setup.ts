import type { RunConfig } from "../../config/run-config.js";
import { isVerlError } from "../../host/errors.js";
import type { Logger } from "../../host/types.js";
import {
  languageMissing,
  type Sandbox,
  type SandboxLimits,
  type SandboxOptions,
  sandboxErrors,
} from "../../sandbox/index.js";
import type { HostServices } from "../../services.js";

/** The sandbox of a run. It is made when somebody first asks for it: most runs need none. */
export interface RunSandbox {
  open(): Promise<Sandbox>;
  /** Before the start: there is a sandbox, and it runs the language. An error names who needs it. */
  require(language: string, where: string): Promise<void>;
  close(): Promise<void>;
}

export function createRunSandbox(
  config: RunConfig["reward"],
  { registries }: Pick<HostServices, "registries">,
  logger: Logger,
): RunSandbox {
  const { name, extra } = sandboxChoice(config);
  const maxConcurrent =
    config.sandbox_fusion.url === null ? config.sandbox.max_concurrent : config.sandbox_fusion.max_concurrent;
  const options = { limits: limitsOf(config), maxConcurrent, extra, logger };
  let opened: Promise<Sandbox> | null = null;
  const open = () => {
    opened ??= (async () => registries.sandboxes.require(name).create(options))();
    return opened;
  };
  return {
    open,
    async require(language, where) {
      const { languages } = await open().catch((error: unknown) => {
        if (!isVerlError(error) || error.code !== "VERL_SANDBOX_UNAVAILABLE") throw error;
        const { what, why, fix } = error;
        throw sandboxErrors.VERL_SANDBOX_UNAVAILABLE({ what, why, fix, where, cause: error });
      });
      if (!languages.includes(language)) throw languageMissing({ name, languages }, language, where);
    },
    async close() {
      // One that could not be made has told whoever asked for it.
      const sandbox = await opened?.catch(() => null);
      await sandbox?.close();
    },
  };
}

/** Which sandbox the configuration asks for. An address of a SandboxFusion service wins, as in verl. */
export function sandboxChoice({
  sandbox,
  sandbox_fusion: fusion,
}: {
  readonly sandbox: Pick<RunConfig["reward"]["sandbox"], "name" | "options">;
  readonly sandbox_fusion: Pick<RunConfig["reward"]["sandbox_fusion"], "url">;
}): { readonly name: string; readonly extra: SandboxOptions["extra"] } {
  if (fusion.url !== null) return { name: "sandbox_fusion", extra: { url: fusion.url } };
  return { name: sandbox.name, extra: sandbox.options };
}

function limitsOf({ sandbox, sandbox_fusion: fusion }: RunConfig["reward"]): SandboxLimits {
  return {
    wallMs: sandbox.timeout * 1000,
    cpuMs: sandbox.timeout * 1000,
    memoryMiB: fusion.url === null ? sandbox.memory_limit_mb : fusion.memory_limit_mb,
    processes: sandbox.processes,
    filesMiB: sandbox.files_limit_mb,
    outputBytes: sandbox.output_limit_kb * 1024,
  };
}
