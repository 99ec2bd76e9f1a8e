import { setImmediate } from "node:timers/promises";
import { nameUserFile } from "./blocking/user-code.js";
import { Watchdog } from "./blocking/watchdog.js";
import { isVerlError } from "./errors.js";
import type { Environment } from "./loading/env-diff.js";
import { type Fingerprint, fingerprintOf } from "./loading/fingerprint.js";
import { requiredName } from "./loading/load-order.js";
import { LoadWatch } from "./loading/load-watch.js";
import { LoadFailure, PluginLoader, type RegisteredPlugin } from "./loading/loader.js";
import { checkLock, type LockNames, lockOf, type PluginLock } from "./loading/lock.js";
import { ModuleImporter } from "./loading/module-importer.js";
import { type FailedPlugin, type PlannedPlugin, type PluginPlan, planPlugins } from "./loading/plan.js";
import type { PluginDefinition } from "./loading/plugin-definition.js";
import { failedRecord, loadedRecord, skippedRecord } from "./loading/plugin-record.js";
import { runCleanups } from "./loading/registration-attempt.js";
import { type LoadUserModule, loadUserExport, userModulePath } from "./loading/user-module.js";
import { pluginErrors } from "./plugin-errors.js";
import { HostContainer } from "./registry/container.js";
import type { Owner } from "./registry/kind.js";
import { OwnerScope } from "./registry/owner-scope.js";
import { type RegistriesOf, RegistrySet } from "./registry/registry.js";
import { TOKENS, tokenOf } from "./registry/tokens.js";
import { type Kinds, PluginTransaction, type RegistrarsOf } from "./registry/transaction.js";
import { PluginReport } from "./report.js";
import type { Logger, ProcessRole } from "./types.js";

/** Everything that a host is made from. `M` is the map of kinds. */
export interface HostCoreOptions<M extends object> {
  readonly kinds: Kinds<M>;
  /** Kinds that commit before all others. */
  readonly commitFirst: readonly (keyof M)[];
  readonly host: { readonly name: string; readonly version: string; readonly apiVersion: string };
  /** The user's folder, from which everything is resolved. */
  readonly cwd: string;
  readonly env: Environment;
  /** Specifiers from the configuration's `plugins`. */
  readonly plugins: readonly string[];
  readonly builtins: readonly PluginDefinition<never>[];
  readonly role: ProcessRole;
  readonly rank: number;
  readonly logger: Logger;
  /** Milliseconds for import and `register` of one plugin together, and for the import of a user's module. */
  readonly deadlineMs: number;
  /** Report failures instead of throwing the first. */
  readonly allowBrokenPlugins: boolean;
  /** What must be loaded, exactly: a recorded lock, or the driver's in a worker. Replaces nothing when null. */
  readonly expected: { readonly lock: PluginLock; readonly names: LockNames; readonly replaces: boolean } | null;
  /** Members of `register`'s argument beyond registrars and context. */
  readonly extras: (owner: Owner) => object;
  /** Told what is about to be loaded, so that somebody else can name it if this process never answers. */
  readonly onLoading?: (label: string) => void;
}

/**
 * One plugin host: plans, loads, commits, and then only serves. Everything belongs to the instance; two hosts in one
 * process share nothing but the modules themselves.
 */
export class HostCore<M extends object> {
  readonly container = HostContainer.root();
  readonly scope = new OwnerScope();
  private readonly registrySet: RegistrySet<M>;
  private readonly importer: ModuleImporter;
  private readonly loading: LoadWatch;
  private readonly shutdown = new AbortController();
  /** Plugins whose `register` has settled; after the commit, those that were accepted. */
  private readonly loaded: RegisteredPlugin<M>[] = [];
  private readonly failed: FailedPlugin[] = [];
  private readonly skipped: PlannedPlugin[] = [];
  private plan: PluginPlan = { plugins: [], failed: [], installed: [], configSchemas: [] };

  private constructor(private readonly options: HostCoreOptions<M>) {
    const { kinds, host, logger, role, rank, deadlineMs, extras } = options;
    this.registrySet = new RegistrySet(kinds, () => this.report.hint());
    this.importer = new ModuleImporter(options.cwd);
    const rules = { apiVersion: host.apiVersion, kinds: this.kindNames() };
    this.loading = new LoadWatch(new Watchdog(), logger, deadlineMs);
    const settings = { kinds, rules, process: { role, rank }, signal: this.shutdown.signal, extras };
    this.container
      .set(TOKENS.settings, settings)
      .set(TOKENS.logger, logger)
      .set(TOKENS.importer, this.importer)
      .set(TOKENS.loading, this.loading)
      .set(TOKENS.scope, this.scope);
    for (const name of Object.keys(kinds) as (keyof M & string)[]) {
      this.container.set(tokenOf(kinds[name].name), this.registries[name]);
    }
  }

  /** Loads built-ins and plugins. On failure everything is rolled back before the error is thrown. */
  static async start<M extends object>(options: HostCoreOptions<M>): Promise<HostCore<M>> {
    const host = new HostCore(options);
    const strays: unknown[] = [];
    const stopWatching = host.scope.watch((error) => strays.push(error));
    try {
      await host.loadAll();
      // What a plugin rejects without anybody awaiting it surfaces after this turn of the event loop.
      await setImmediate();
      if (strays.length > 0) throw strays[0];
      return host;
    } catch (error) {
      await host.dispose();
      throw error instanceof LoadFailure ? error.error : error;
    } finally {
      stopWatching();
    }
  }

  get registries(): RegistriesOf<M> {
    return this.registrySet.registries;
  }

  get configSchemas(): PluginPlan["configSchemas"] {
    return this.plan.configSchemas;
  }

  /** Plugins of this run in load order, those included that only other processes load. */
  get lock(): PluginLock {
    const broken = new Set(this.failed.map((f) => f.specifier));
    const loadable = this.plan.plugins.filter((plugin) => !broken.has(plugin.specifier));
    return lockOf(loadable, this.options.host);
  }

  get fingerprint(): Fingerprint {
    return fingerprintOf(this.registrySet.describe());
  }

  get report(): PluginReport {
    const { role } = this.options;
    const loaded = this.loaded.map((plugin) => loadedRecord(plugin, this.registrySet.ownedBy(plugin.owner), role));
    const failed = this.failed.map((failure) => failedRecord(failure, this.planOf(failure)));
    return new PluginReport([...loaded, ...this.skipped.map(skippedRecord), ...failed], this.registrySet.overrides);
  }

  /** An export of a module that the configuration names. */
  readonly loadUserModule: LoadUserModule = async (reference, exportName, namedBy) => {
    const { cwd } = this.options;
    const owner: Owner = { name: reference, version: "local" };
    const file = userModulePath(reference, cwd, namedBy);
    this.scope.addUserFile(file, reference);
    nameUserFile(file, namedBy ? `${reference} (${namedBy})` : reference);
    const module = { reference, exportName, namedBy };
    return this.scope.run(owner, () => loadUserExport(module, { importer: this.importer, loading: this.loading, cwd }));
  };

  get loadDeadlineMs(): number {
    return this.loading.deadlineMs;
  }

  /** Registers on behalf of a user's file. Possible until the registries are frozen. */
  registerUser(owner: Owner, register: (registrars: RegistrarsOf<M>) => void): void {
    const transaction = new PluginTransaction<M>(owner, false, this.options.kinds, null);
    this.scope.run(owner, () => register(transaction.registrars));
    transaction.revoke("after its file had been loaded");
    this.registrySet.accept(transaction);
    this.registrySet.commit(transaction);
  }

  /** No registration after this. */
  freeze(): void {
    this.registrySet.freeze();
  }

  /** Runs the plugins' clean-ups, newest first. */
  async dispose(): Promise<void> {
    if (this.shutdown.signal.aborted) return;
    this.shutdown.abort(new Error("the plugin host was disposed"));
    for (const plugin of [...this.loaded].reverse()) {
      await runCleanups(plugin.cleanups, plugin.owner, this.options.logger);
    }
    await this.importer.dispose();
    await this.container.dispose();
    this.scope.dispose();
  }

  private async loadAll(): Promise<void> {
    const { options } = this;
    this.plan = planPlugins({
      ...options,
      requests: options.expected?.replaces
        ? options.expected.lock.plugins.map(({ specifier }) => ({ specifier, source: "lock" as const }))
        : undefined,
      rules: { apiVersion: options.host.apiVersion, kinds: this.kindNames() },
    });
    for (const failure of this.plan.failed) this.fail(failure);
    if (options.expected) checkLock(options.expected.lock, this.lock, options.expected.names);

    const loader = this.container.construct<PluginLoader<M>>(PluginLoader);
    for (const builtin of options.builtins) {
      this.loaded.push(await loader.loadValue(builtin as PluginDefinition<unknown>, options.host.version));
    }
    const release = this.plan.plugins.length > 0 ? this.loading.hold() : () => {};
    try {
      await this.loadPlugins(loader);
    } finally {
      release();
    }
    await this.commit();
  }

  private async loadPlugins(loader: PluginLoader<M>): Promise<void> {
    const { options } = this;
    for (const plugin of this.plan.plugins) {
      if (plugin.processes !== "all" && !plugin.processes.includes(options.role)) {
        this.skipped.push(plugin);
        continue;
      }
      options.onLoading?.(`${plugin.name}@${plugin.version}`);
      try {
        this.checkRequirements(plugin);
        this.loaded.push(await loader.load(plugin));
      } catch (error) {
        if (!(error instanceof LoadFailure)) throw error;
        this.fail(error);
      }
    }
  }

  /** All plugins' platforms first, then the rest; a plugin that collides with an earlier one leaves nothing behind. */
  private async commit(): Promise<void> {
    for (const plugin of [...this.loaded]) {
      if (!plugin.transaction) continue;
      try {
        this.registrySet.accept(plugin.transaction);
      } catch (error) {
        if (!isVerlError(error)) throw error;
        const specifier = plugin.plan?.specifier ?? plugin.owner.name;
        this.fail({ specifier, source: plugin.source, phase: "commit", error });
        this.loaded.splice(this.loaded.indexOf(plugin), 1);
        await runCleanups(plugin.cleanups, plugin.owner, this.options.logger);
      }
    }
    const first = (kind: keyof M) => this.options.commitFirst.includes(kind);
    const accepted = this.loaded.flatMap(({ transaction }) => transaction ?? []);
    for (const transaction of accepted) this.registrySet.commit(transaction, first);
    for (const transaction of accepted) this.registrySet.commit(transaction, (kind) => !first(kind));
    for (const { kind, key, from, to } of this.registrySet.overrides) {
      this.options.logger.info(`${kind} "${key}": ${to.name}@${to.version} replaces ${from.name}@${from.version}`);
    }
  }

  /** A plugin whose requirement failed to load must not run either. */
  private checkRequirements(plugin: PlannedPlugin): void {
    const names = plugin.requires.map(requiredName);
    const broken = this.failed.find((failure) => names.includes(this.planOf(failure)?.name ?? ""));
    if (!broken) return;
    const error = pluginErrors.VERL_PLUGIN_REQUIRES({
      what: `${plugin.name}@${plugin.version} requires ${broken.specifier}, which failed to load.`,
      why: broken.error.what,
    });
    throw new LoadFailure(plugin.specifier, plugin.source, "check", error);
  }

  private fail({ specifier, source, phase, error }: FailedPlugin): void {
    if (!this.options.allowBrokenPlugins) throw error;
    this.failed.push({ specifier, source, phase, error });
    this.options.logger.warn(`plugin ${specifier} is left out (${phase}): ${error.code}: ${error.what}`);
  }

  private planOf({ specifier }: FailedPlugin): PlannedPlugin | null {
    return this.plan.plugins.find((plugin) => plugin.specifier === specifier) ?? null;
  }

  private kindNames(): string[] {
    const kinds = this.options.kinds;
    return (Object.keys(kinds) as (keyof M)[]).map((name) => kinds[name].name);
  }
}
