import { reasonOf } from "../errors.js";
import { prefixed } from "../logger.js";
import type { Owner } from "../registry/kind.js";
import { labelOfOwner, type OwnerScope } from "../registry/owner-scope.js";
import { type Kinds, PluginTransaction, type RegistrarsOf } from "../registry/transaction.js";
import type { Logger, ProcessRole } from "../types.js";
import type { ManifestRules } from "./manifest.js";

/** The part of what `register` receives that does not depend on the kinds. */
export interface PluginContext {
  readonly apiVersion: string;
  readonly logger: Logger;
  readonly process: { readonly role: ProcessRole; readonly rank: number };
  readonly signal: AbortSignal;
  onDispose(cleanup: Cleanup): void;
}
export type Cleanup = () => void | Promise<void>;

/** Settings that every load shares. */
export interface LoaderSettings<M> {
  readonly kinds: Kinds<M>;
  readonly rules: ManifestRules;
  readonly process: PluginContext["process"];
  /** Aborted when the host is disposed. */
  readonly signal: AbortSignal;
  /** Members of `register`'s argument that only the assembled host knows. */
  readonly extras: (owner: Owner) => object;
}

/** One plugin's `register`, which either settles, leaving a transaction and clean-ups, or is rolled back. */
export class RegistrationAttempt<M> {
  transaction: PluginTransaction<M> | null = null;
  /** Newest first. */
  readonly cleanups: Cleanup[] = [];
  private readonly abort = new AbortController();

  constructor(
    private readonly settings: LoaderSettings<M>,
    private readonly scope: OwnerScope,
    private readonly logger: Logger,
  ) {}

  /** Throws when the attempt was given up while something was awaited. */
  checkAlive(): void {
    this.abort.signal.throwIfAborted();
  }

  async register(
    owner: Owner,
    terms: { readonly provides: readonly string[]; readonly everywhere: boolean },
    register: (host: unknown) => unknown,
  ): Promise<PluginTransaction<M>> {
    const { kinds, rules, process, signal, extras } = this.settings;
    const transaction = new PluginTransaction<M>(owner, terms.everywhere, kinds, terms.provides);
    this.transaction = transaction;
    const context: PluginContext & RegistrarsOf<M> = {
      ...extras(owner),
      ...transaction.registrars,
      apiVersion: rules.apiVersion,
      logger: prefixed(this.logger, `[${owner.name}]`),
      process,
      signal: AbortSignal.any([signal, this.abort.signal]),
      onDispose: (cleanup) => {
        if (this.abort.signal.aborted) void runCleanups([cleanup], owner, this.logger);
        else this.cleanups.unshift(cleanup);
      },
    };
    await this.scope.run(owner, async () => register(Object.freeze(context)));
    transaction.revoke("after its register had ended");
    return transaction;
  }

  async rollBack(reason: unknown, owner: Owner): Promise<void> {
    this.transaction?.revoke("after it had failed");
    this.abort.abort(reason);
    await runCleanups(this.cleanups, owner, this.logger);
  }
}

/** Runs what a plugin asked to be run at its end; a failing clean-up is told and does not stop the others. */
export async function runCleanups(cleanups: readonly Cleanup[], owner: Owner, logger: Logger): Promise<void> {
  for (const cleanup of cleanups) {
    try {
      await cleanup();
    } catch (error) {
      logger.warn(`plugin ${labelOfOwner(owner)} failed while it was disposed: ${reasonOf(error)}`);
    }
  }
}
