import "reflect-metadata";
import { inject, injectable } from "tsyringe";
import type { VerlError } from "../errors.js";
import { pluginErrors } from "../plugin-errors.js";
import type { Owner } from "../registry/kind.js";
import { labelOfOwner, type OwnerScope } from "../registry/owner-scope.js";
import { TOKENS } from "../registry/tokens.js";
import type { PluginTransaction } from "../registry/transaction.js";
import type { Logger, ProcessRole } from "../types.js";
import type { PluginSource } from "./discovery.js";
import { changedVariables } from "./env-diff.js";
import { explainLoad } from "./load-errors.js";
import type { LoadWatch } from "./load-watch.js";
import { checkApiVersion } from "./manifest.js";
import type { ModuleImporter } from "./module-importer.js";
import type { FailedPlugin, LoadPhase, PlannedPlugin } from "./plan.js";
import type { PluginDefinition } from "./plugin-definition.js";
import { pluginIn } from "./plugin-module.js";
import { type Cleanup, type LoaderSettings, RegistrationAttempt } from "./registration-attempt.js";

/** A plugin whose `register` has settled; nothing of it is visible yet. */
export interface RegisteredPlugin<M> {
  readonly owner: Owner;
  readonly source: PluginSource;
  /** Null for built-ins. */
  readonly plan: PlannedPlugin | null;
  readonly provides: readonly string[];
  /** Null when the plugin said, after its import, that processes of this role do not load it. */
  readonly transaction: PluginTransaction<M> | null;
  readonly cleanups: readonly Cleanup[];
  readonly importMs: number;
  readonly registerMs: number;
  readonly changedEnv: readonly string[];
}

/** Imports one plugin and runs its `register`, under one deadline, with the blame in every error. */
@injectable()
export class PluginLoader<M extends object> {
  constructor(
    @inject(TOKENS.settings) private readonly settings: LoaderSettings<M>,
    @inject(TOKENS.logger) private readonly logger: Logger,
    @inject(TOKENS.importer) private readonly importer: ModuleImporter,
    @inject(TOKENS.loading) private readonly loading: LoadWatch,
    @inject(TOKENS.scope) private readonly scope: OwnerScope,
  ) {}

  /** Loads a package or file. Rejects with a {@link LoadFailure}. */
  async load(plan: PlannedPlugin): Promise<RegisteredPlugin<M>> {
    const { deadlineMs } = this.loading;
    const planned: Owner = { name: plan.name, version: plan.version };
    const attempt = new RegistrationAttempt(this.settings, this.scope, this.logger);
    const envBefore = { ...process.env };
    const started = performance.now();
    let imported: number | null = null;

    const work = async () => {
      const module = await this.scope.run(planned, () => this.importer.import(plan.entry));
      attempt.checkAlive();
      imported = performance.now();
      const found = pluginIn(module, plan);
      const owner = plan.manifest ? planned : { name: found.name ?? plan.name, version: found.version ?? plan.version };
      if (found.apiVersion !== null)
        this.checkApi(owner, found.apiVersion, plan.entry, "It was imported, not registered.");
      const provides = plan.manifest?.provides ?? this.knownKinds(found.provides, owner, plan.entry);
      const processes = plan.manifest?.processes ?? found.processes ?? "all";
      const transaction = await this.registerHere(attempt, owner, provides, processes, found.register);
      return { owner, provides, transaction };
    };
    const phase = () => (imported === null ? "import" : "register");
    try {
      const label = `the plugin ${labelOfOwner(planned)} (${plan.entry})`;
      const onTimeout = () => timeout(plan, phase(), deadlineMs);
      const result = await this.loading.run({ label, blocked: BLOCKED, onTimeout }, work);
      const changedEnv = this.reportEnvironment(result.owner, envBefore);
      const registered = imported ?? started;
      const timing = { importMs: registered - started, registerMs: performance.now() - registered };
      return { ...result, source: plan.source, plan, cleanups: attempt.cleanups, changedEnv, ...timing };
    } catch (error) {
      await attempt.rollBack(error, planned);
      const explained = explainLoad(error, phase(), labelOfOwner(planned), plan.entry);
      throw new LoadFailure(plan.specifier, plan.source, phase(), explained);
    }
  }

  /** Registers a plugin that is at hand as a value: a built-in. */
  async loadValue(plugin: PluginDefinition<unknown>, version: string): Promise<RegisteredPlugin<M>> {
    const owner: Owner = { name: plugin.name, version: plugin.version ?? version };
    const attempt = new RegistrationAttempt(this.settings, this.scope, this.logger);
    const started = performance.now();
    try {
      this.checkApi(owner, plugin.apiVersion, plugin.name, "It was not registered.");
      const provides = this.knownKinds(plugin.provides, owner, plugin.name);
      const register = (host: unknown) => plugin.register(host);
      const transaction = await this.registerHere(attempt, owner, provides, plugin.processes ?? "all", register);
      const timing = { importMs: 0, registerMs: performance.now() - started };
      const { cleanups } = attempt;
      return { owner, source: "builtin", plan: null, provides, transaction, cleanups, changedEnv: [], ...timing };
    } catch (error) {
      await attempt.rollBack(error, owner);
      const explained = explainLoad(error, "register", labelOfOwner(owner), "built in");
      throw new LoadFailure(owner.name, "builtin", "register", explained);
    }
  }

  private async registerHere(
    attempt: RegistrationAttempt<M>,
    owner: Owner,
    provides: readonly string[],
    processes: "all" | readonly ProcessRole[],
    register: (host: unknown) => unknown,
  ): Promise<PluginTransaction<M> | null> {
    const everywhere = processes === "all";
    if (!everywhere && !processes.includes(this.settings.process.role)) return null;
    return attempt.register(owner, { provides, everywhere }, register);
  }

  private checkApi(owner: Owner, range: string, where: string, consequence: string): void {
    checkApiVersion(labelOfOwner(owner), range, this.settings.rules.apiVersion, where, consequence);
  }

  private knownKinds(provides: readonly string[] | null, owner: Owner, where: string): readonly string[] {
    const { kinds } = this.settings.rules;
    const unknown = Array.isArray(provides) ? provides.find((kind) => !kinds.includes(kind)) : undefined;
    if (Array.isArray(provides) && unknown === undefined) return provides;
    const fault =
      unknown === undefined ? 'has no "provides" list' : `provides "${unknown}", which is no kind of plugin`;
    throw pluginErrors.VERL_PLUGIN_BAD_MANIFEST({
      what: `${labelOfOwner(owner)} ${fault}.`,
      where,
      fix: `List the kinds that it registers. Known kinds: ${kinds.join(", ")}.`,
    });
  }

  private reportEnvironment(owner: Owner, before: NodeJS.ProcessEnv): string[] {
    const changed = changedVariables(before, process.env);
    if (changed.length > 0)
      this.logger.warn(`plugin ${labelOfOwner(owner)} changed process.env: ${changed.join(", ")}`);
    return changed;
  }
}

const BLOCKED = {
  code: "VERL_PLUGIN_TIMEOUT",
  fix: "leave the plugin out of the list, or report this to its author",
};

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

function timeout(plan: PlannedPlugin, phase: "import" | "register", deadlineMs: number): VerlError {
  const waiting = phase === "import" ? "A top-level await of the module" : "The promise of register";
  return pluginErrors.VERL_PLUGIN_TIMEOUT({
    what: `${plan.name}@${plan.version} did not finish its ${phase} within ${deadlineMs / 1000} s.`,
    where: plan.entry,
    why: `${waiting} has not settled.`,
  });
}
