import { AsyncLocalStorage } from "node:async_hooks";
import { currentCall } from "../blocking/user-code.js";
import { firstFrame, stackOf } from "../error-place.js";
import { reasonOf, type VerlError } from "../errors.js";
import { pluginErrors } from "../plugin-errors.js";
import type { Owner } from "./kind.js";

/**
 * Remembers on whose behalf code runs, across awaits, timers and callbacks, so that an error which surfaces later with
 * nobody to catch it is still blamed on the right plugin.
 */
export class OwnerScope {
  private readonly storage = new AsyncLocalStorage<Owner>();
  /** Files of the user's by their real paths, with the names that the configuration gives them. */
  private readonly userFiles = new Map<string, string>();

  run<T>(owner: Owner, body: () => T): T {
    return this.storage.run(owner, body);
  }

  current(): Owner | null {
    return this.storage.getStore() ?? null;
  }

  /** What comes out of this file is blamed on it, whoever calls its functions. */
  addUserFile(file: string, reference: string): void {
    this.userFiles.set(file, reference);
  }

  /** Forget everything. An unused storage would slow down every promise of the process, one more with each host. */
  dispose(): void {
    this.storage.disable();
  }

  /**
   * Passes every unhandled rejection and uncaught exception of the process to `report`, those of plugins and of the user's
   * files as coded errors that name them, others as they are. Returns the function that stops listening.
   */
  watch(report: (error: unknown) => void): () => void {
    const listener = (reason: unknown) => {
      const owner = this.current();
      const file = this.userFileOf(reason, owner);
      if (file !== null) return report(leftBy(file, reason));
      // Without a stack there is no place to look at, and `undefined` would abort the run as a signal does.
      if (owner === null) return report(stackOf(reason) === "" ? leftWithoutError(reason) : reason);
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

  /** The user's file that an error came from: its stack tells, or else on whose behalf the code ran. */
  private userFileOf(error: unknown, owner: Owner | null): string | null {
    const stack = stackOf(error);
    for (const [file, reference] of this.userFiles) if (stack.includes(file)) return reference;
    return owner !== null && [...this.userFiles.values()].includes(owner.name) ? owner.name : null;
  }
}

function leftBy(reference: string, reason: unknown): VerlError {
  return pluginErrors.VERL_USER_UNHANDLED({
    what: `"${reference}", named in the configuration, left an error unhandled: ${reasonOf(reason)}`,
    where: firstFrame(reason) ?? undefined,
    cause: reason,
    data: { file: reference },
  });
}

function leftWithoutError(reason: unknown): VerlError {
  const call = currentCall();
  return pluginErrors.VERL_USER_UNHANDLED({
    what: `${call ?? "code of the run"} left a rejection or exception unhandled that is no Error: ${reasonOf(reason)}`,
    fix: "await what is started and catch inside of callbacks; `throw new Error(reason)` and `reject(new Error(reason))` tell the line",
    cause: reason,
  });
}

/** `name@version`, as in every message. */
export function labelOfOwner(owner: Owner): string {
  return `${owner.name}@${owner.version}`;
}
