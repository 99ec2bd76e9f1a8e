import { AsyncLocalStorage } from "node:async_hooks";
import { firstFrame } from "./error-place.js";
import { reasonOf } from "./errors.js";
import type { Owner } from "./kind.js";
import { pluginErrors } from "./plugin-errors.js";

/**
 * Remembers on whose behalf code runs, across awaits, timers and callbacks, so that an error which surfaces later with
 * nobody to catch it is still blamed on the right plugin.
 */
export class OwnerScope {
  private readonly storage = new AsyncLocalStorage<Owner>();

  run<T>(owner: Owner, body: () => T): T {
    return this.storage.run(owner, body);
  }

  current(): Owner | null {
    return this.storage.getStore() ?? null;
  }

  /** Forget everything. An unused storage would slow down every promise of the process, one more with each host. */
  dispose(): void {
    this.storage.disable();
  }

  /**
   * Passes every unhandled rejection and uncaught exception of the process to `report`, those of plugins as coded errors
   * that name the plugin, others as they are. Returns the function that stops listening.
   */
  watch(report: (error: unknown) => void): () => void {
    const listener = (reason: unknown) => {
      const owner = this.current();
      if (owner === null) return report(reason);
      report(
        pluginErrors.VERL_PLUGIN_UNHANDLED({
          what: `The plugin ${labelOfOwner(owner)} left an error unhandled: ${reasonOf(reason)}`,
          where: firstFrame(reason) ?? undefined,
          cause: reason,
          data: { plugin: owner.name, version: owner.version },
        }),
      );
    };
    process.on("unhandledRejection", listener);
    process.on("uncaughtException", listener);
    return () => {
      process.off("unhandledRejection", listener);
      process.off("uncaughtException", listener);
    };
  }
}

/** `name@version`, as in every message. */
export function labelOfOwner(owner: Owner): string {
  return `${owner.name}@${owner.version}`;
}
