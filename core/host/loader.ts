import "reflect-metadata";
import { inject, injectable } from "tsyringe";
import { withDeadline } from "./deadline.js";
import type { PluginSource } from "./discovery.js";
import { changedVariables } from "./env-diff.js";
import { reasonOf, type VerlError } from "./errors.js";
import type { Owner } from "./kind.js";
import { explainLoad } from "./load-errors.js";
import { checkApiVersion, type ManifestRules } from "./manifest.js";
import type { ModuleImporter } from "./module-importer.js";
import { labelOfOwner, type OwnerScope } from "./owner-scope.js";
import type { FailedPlugin, LoadPhase, PlannedPlugin } from "./plan.js";
import type { PluginDefinition } from "./plugin-definition.js";
import { pluginErrors } from "./plugin-errors.js";
import { pluginIn } from "./plugin-module.js";
import { TOKENS } from "./tokens.js";
import { type Kinds, PluginTransaction, type RegistrarsOf } from "./transaction.js";
import type { Logger, ProcessRole } from "./types.js";
import type { Watchdog } from "./watchdog.js";

/** The part of what `register` receives that does not depend on the kinds. */
export interface PluginContext {
  readonly apiVersion: string;
  readonly logger: Logger;
  readonly process: { readonly role: ProcessRole; readonly rank: number };
  readonly signal: AbortSignal;
  onDispose(cleanup: () => void | Promise<void>): void;
}

/** A plugin whose `register` has settled; nothing of it is visible yet. */
export interface RegisteredPlugin<M> {
  readonly owner: Owner;
  readonly source: PluginSource;
  readonly plan: PlannedPlugin | null;
  readonly provides: readonly string[];
  readonly transaction: PluginTransaction<M>;
  readonly cleanups: readonly (() => void | Promise<void>)[];
  readonly importMs: number;
  readonly registerMs: number;
  readonly changedEnv: readonly string[];
}

/** Settings that every load shares. */
export interface LoaderSettings<M> {
  readonly kinds: Kinds<M>;
  readonly rules: ManifestRules;
  readonly process: PluginContext["process"];
  /** Milliseconds that import and `register` of one plugin share. */
  readonly deadlineMs: number;
  /** Aborted when the host is disposed. */
  readonly signal: AbortSignal;
  /** Members of `register`'s argument that only the assembled host knows. */
  readonly extras: (owner: Owner) => object;
}

/** Imports one plugin and runs its `register`, under one deadline, with the blame in every error. */
@injectable()
export class PluginLoader<M extends object> {
  constructor(
    @inject(TOKENS.settings) private readonly settings: LoaderSettings<M>,
    @inject(TOKENS.logger) private readonly logger: Logger,
    @inject(TOKENS.importer) private readonly importer: ModuleImporter,
    @inject(TOKENS.watchdog) private readonly watchdog: Watchdog,
    @inject(TOKENS.scope) private readonly scope: OwnerScope,
  ) {}

  /** Loads a package or file. Rejects with a {@link LoadFailure}. */
  async load(plan: PlannedPlugin): Promise<RegisteredPlugin<M>> {
    let phase: "import" | "register" = "import";
    const started = performance.now();
    const envBefore = { ...process.env };
    const planned: Owner = { name: plan.name, version: plan.version };
    const state: RegisterState<M> = { transaction: null, cleanups: [], abort: new AbortController() };
    let imported = started;
    const work = async () => {
      const module = await this.scope.run(planned, () => this.importer.import(plan.entry));
      imported = performance.now();
      state.abort.signal.throwIfAborted();
      const found = pluginIn(module, plan);
      const owner = plan.manifest ? planned : { name: found.name ?? plan.name, version: found.version ?? plan.version };
      if (found.apiVersion !== null) {
        checkApiVersion(labelOfOwner(owner), found.apiVersion, this.settings.rules.apiVersion, plan.entry);
      }
      const provides = plan.manifest?.provides ?? this.knownKinds(found.provides, owner, plan.entry);
      phase = "register";
      await this.register(owner, plan.processes === "all", provides, found.register, state);
      return { owner, provides };
    };
    try {
      const label = `the plugin ${labelOfOwner(planned)} (${plan.entry})`;
      const { owner, provides } = await this.watchdog.watch(label, this.settings.deadlineMs, () =>
        withDeadline(work(), this.settings.deadlineMs, () => this.timeout(plan, phase)),
      );
      const changedEnv = changedVariables(envBefore, process.env);
      if (changedEnv.length > 0) {
        this.logger.warn(`plugin ${labelOfOwner(owner)} changed process.env: ${changedEnv.join(", ")}`);
      }
      const { source } = plan;
      const timing = { importMs: imported - started, registerMs: performance.now() - imported };
      return {
        owner,
        source,
        plan,
        provides,
        transaction: state.transaction!,
        cleanups: state.cleanups,
        changedEnv,
        ...timing,
      };
    } catch (error) {
      await this.rollBack(state, error, planned);
      throw new LoadFailure(
        plan.specifier,
        plan.source,
        phase,
        explainLoad(error, phase, labelOfOwner(planned), plan.entry),
      );
    }
  }

  /** Registers a plugin that is at hand as a value. */
  async loadValue(plugin: PluginDefinition<unknown>, version: string): Promise<RegisteredPlugin<M>> {
    const owner: Owner = { name: plugin.name, version: plugin.version ?? version };
    const state: RegisterState<M> = { transaction: null, cleanups: [], abort: new AbortController() };
    const started = performance.now();
    const everywhere = (plugin.processes ?? "all") === "all";
    try {
      checkApiVersion(labelOfOwner(owner), plugin.apiVersion, this.settings.rules.apiVersion, plugin.name);
      const provides = this.knownKinds(plugin.provides, owner, plugin.name);
      await this.register(owner, everywhere, provides, (host) => plugin.register(host), state);
      const timing = { importMs: 0, registerMs: performance.now() - started };
      const { cleanups } = state;
      return {
        owner,
        source: "builtin",
        plan: null,
        provides,
        transaction: state.transaction!,
        cleanups,
        changedEnv: [],
        ...timing,
      };
    } catch (error) {
      await this.rollBack(state, error, owner);
      throw new LoadFailure(
        owner.name,
        "builtin",
        "register",
        explainLoad(error, "register", labelOfOwner(owner), "built in"),
      );
    }
  }

  private async register(
    owner: Owner,
    everywhere: boolean,
    provides: readonly string[] | null,
    register: (host: unknown) => unknown,
    state: RegisterState<M>,
  ): Promise<void> {
    const transaction = new PluginTransaction<M>(owner, everywhere, this.settings.kinds, provides);
    state.transaction = transaction;
    const context: PluginContext & RegistrarsOf<M> = {
      ...transaction.registrars,
      ...this.settings.extras(owner),
      apiVersion: this.settings.rules.apiVersion,
      logger: this.logger,
      process: this.settings.process,
      signal: AbortSignal.any([this.settings.signal, state.abort.signal]),
      onDispose: (cleanup) => {
        if (state.abort.signal.aborted) void runCleanups([cleanup], owner, this.logger);
        else state.cleanups.unshift(cleanup);
      },
    };
    await this.scope.run(owner, async () => register(Object.freeze(context)));
    transaction.revoke("after its register had ended");
  }

  private knownKinds(provides: readonly string[] | null, owner: Owner, where: string): readonly string[] {
    const kinds = this.settings.rules.kinds;
    const unknown = provides?.find((kind) => !kinds.includes(kind));
    if (Array.isArray(provides) && unknown === undefined) return provides;
    throw pluginErrors.VERL_PLUGIN_BAD_MANIFEST({
      what: `${labelOfOwner(owner)} ${unknown === undefined ? 'has no "provides" list' : `provides "${unknown}", which is no kind of plugin`}.`,
      where,
      fix: `List the kinds that it registers. Known kinds: ${kinds.join(", ")}.`,
    });
  }

  private timeout(plan: PlannedPlugin, phase: LoadPhase): Error {
    return pluginErrors.VERL_PLUGIN_TIMEOUT({
      what: `${plan.name}@${plan.version} did not finish its ${phase} within ${this.settings.deadlineMs / 1000} s.`,
      where: plan.entry,
      why:
        phase === "import"
          ? "A top-level await of the module has not settled."
          : "The promise of register has not settled.",
    });
  }

  private async rollBack(state: RegisterState<M>, reason: unknown, owner: Owner): Promise<void> {
    state.transaction?.revoke("after it had failed");
    state.abort.abort(reason);
    await runCleanups(state.cleanups, owner, this.logger);
  }
}

/** Why one plugin could not be loaded. */
export class LoadFailure extends Error implements FailedPlugin {
  constructor(
    readonly specifier: string,
    readonly source: PluginSource,
    readonly phase: LoadPhase,
    readonly error: VerlError,
  ) {
    super(error.message, { cause: error });
  }
}

interface RegisterState<M> {
  transaction: PluginTransaction<M> | null;
  /** Newest first. */
  readonly cleanups: (() => void | Promise<void>)[];
  readonly abort: AbortController;
}

/** Runs what a plugin asked to be run at its end; a failing clean-up is told and does not stop the others. */
export async function runCleanups(
  cleanups: readonly (() => void | Promise<void>)[],
  owner: Owner,
  logger: Logger,
): Promise<void> {
  for (const cleanup of cleanups) {
    try {
      await cleanup();
    } catch (error) {
      logger.warn(`plugin ${labelOfOwner(owner)} failed while it was disposed: ${reasonOf(error)}`);
    }
  }
}
