import path from "node:path";
import { agentErrors } from "./agent/errors.js";
import { startAgentThread } from "./agent-threads.js";
import {
  checkAvailable,
  composeRanks,
  type EngineModelType,
  engineErrors,
  lookupEngine,
  whyNoEngine,
} from "./engine/index.js";
import {
  type Fingerprint,
  HookDriver,
  type HostContainer,
  HostCore,
  LOCK_FILE,
  type LoadUserModule,
  type Logger,
  labelOfOwner,
  loadDeadlineMs,
  type PluginLock,
  type PluginPlan,
  type PluginReport,
  type ProcessRole,
  readLock,
  stderrLogger,
  tokenOf,
} from "./host/index.js";
import { HOST } from "./inspect-plugins.js";
import { KINDS, type KindMap, type Registries } from "./kinds.js";
import { choosePlatform, type PlatformChoice, type PlatformWishes, platformErrors } from "./platform/index.js";
import type { Plugin } from "./plugin.js";
import { startRankProcesses } from "./rank-processes.js";
import { rewardErrors } from "./reward/index.js";
import { startRewardWorker } from "./reward-workers.js";
import type { HostServices } from "./services.js";
import type { HookContexts } from "./trainer/hooks.js";
import { userHooks } from "./user-hooks.js";

export interface HostOptions {
  /** The user's folder, from which plugins and files are resolved. Default: the working directory. */
  readonly cwd?: string;
  /** Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Specifiers of the configuration's `plugins`. */
  readonly plugins?: readonly string[];
  /** Built-in plugins, from the composition root. */
  readonly builtins?: readonly Plugin[];
  readonly role?: ProcessRole;
  readonly rank?: number;
  readonly logger?: Logger;
  /** Leave out plugins that fail, and report them, instead of throwing. */
  readonly allowBrokenPlugins?: boolean;
  /** Demand the recorded lock: the lock, its file, or true for `verl-plugins.lock.json` in `cwd`. */
  readonly frozenPlugins?: boolean | string | PluginLock;
  /** In a worker: the driver's lock. It replaces environment, configuration and discovery, and must match exactly. */
  readonly driverLock?: PluginLock;
  /**
   * Milliseconds that import and `register` of one plugin share, and that the import of a user's module may take; default
   * `VERL_LOAD_DEADLINE_S`, or 30 000.
   */
  readonly deadlineMs?: number;
  /** Module that runs a further training process (`runRankProcess`) with the same built-ins. Without it there is one. */
  readonly rankMain?: URL;
  /** Module that runs a reward worker (`runRewardWorker`) with the same built-ins. Without it there is none. */
  readonly rewardMain?: URL;
  /** Module that runs agent loops in a thread (`runAgentThread`) with the same built-ins. Without it there are no such threads. */
  readonly agentMain?: URL;
  /** Told `name@version` before a plugin is loaded. */
  readonly onLoading?: (plugin: string) => void;
}

/** A started plugin host. Registries can be read at once; they freeze with `services` or `freeze`. */
export interface Host {
  readonly registries: Registries;
  readonly configSchemas: PluginPlan["configSchemas"];
  readonly report: PluginReport;
  readonly lock: PluginLock;
  readonly fingerprint: Fingerprint;
  readonly role: ProcessRole;
  readonly cwd: string;
  /** Root scope of this host. Registries are under `tokenOf(kind)`. */
  readonly container: HostContainer;
  readonly loadUserModule: LoadUserModule;
  /** Milliseconds that loading one plugin or module may take, here and in workers. */
  readonly loadDeadlineMs: number;
  /** Registers the hooks of files named in `trainer.hooks`, in order. Before the registries freeze. */
  registerUserHooks(references: readonly string[]): Promise<void>;
  freeze(): void;
  /**
   * Freezes the registries, chooses the platform, and gives trainers what they need. `device` is `trainer.device`;
   * without it `VERL_PLATFORM` decides. `VERL_ENGINE_DEVICE` and `VERL_ENGINE_VENDOR` change the lookup of engines only.
   */
  services(choices?: PlatformWishes): Promise<HostServices>;
  /** Unhandled errors of the process, blamed on plugins where they came from one. Returns the function that stops it. */
  watchErrors(report: (error: unknown) => void): () => void;
  dispose(): Promise<void>;
}

/** Loads built-ins and plugins, commits what they registered, and returns the host of this process. */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  const cwd = path.resolve(options.cwd ?? process.cwd());
  const env = options.env ?? process.env;
  const logger = options.logger ?? stderrLogger();
  const role = options.role ?? "driver";
  let choice: PlatformChoice | null = null;
  const core = await HostCore.start<KindMap>({
    kinds: KINDS,
    commitFirst: ["platforms"],
    host: HOST,
    cwd,
    env,
    plugins: options.plugins ?? [],
    builtins: options.builtins ?? [],
    role,
    rank: options.rank ?? 0,
    logger,
    deadlineMs: options.deadlineMs ?? loadDeadlineMs(env),
    allowBrokenPlugins: options.allowBrokenPlugins ?? false,
    expected: expectedLock(options, cwd),
    extras: (owner) => ({ platform: () => choice?.platform ?? notReady(owner.name) }),
    onLoading: options.onLoading,
  });
  const { registries } = core;
  const load = core.loadUserModule;

  const services = async (wishes: PlatformWishes = {}): Promise<HostServices> => {
    core.freeze();
    choice ??= await choosePlatform(registries.platforms, withSource(wishes, env), logger, (platform) =>
      whyNoEngine(registries.engines, platform),
    );
    const { platform, reason } = choice;
    logger.debug(`platform ${choice.vendor} (${reason})`);
    const container = core.container.child().set(tokenOf("platform.current"), platform);
    const requestOf = (modelType: EngineModelType, backend: string | null) => ({
      ...{ modelType, backend },
      ...{ device: platform.deviceName, vendor: platform.vendorName },
    });
    const findEngine = (modelType: EngineModelType, backend: string | null) =>
      lookupEngine(registries.engines, requestOf(modelType, backend), env);
    const requireEngine = async (modelType: EngineModelType, backend: string | null) => {
      const factory = findEngine(modelType, backend);
      await checkAvailable(factory, requestOf(modelType, backend), env);
      return factory;
    };
    const sets = registries.hooks.items().map(({ item, owner }) => ({ hooks: item, owner }));
    return {
      registries,
      container,
      platform,
      hooks: sets.map(({ hooks, owner }) => ({ hooks, owner: labelOfOwner(owner) })),
      createHookDriver: ({ deadlineMs }) => new HookDriver<HookContexts>({ sets, deadlineMs, scope: core.scope }),
      loadUserModule: load,
      startRanks: (ranks) => startRankProcesses(host, { ranks, platform, main: rankMain(options, ranks), env }),
      startRewardWorker: async (index, task) => startRewardWorker(host, { main: rewardMain(options), index, task }),
      startAgentThread: async (index, task, methods) =>
        startAgentThread(host, { main: agentMain(options), index, task, methods }),
      findEngine,
      requireEngine,
      createEngine: async (modelType, backend, engineOptions, ranks) => {
        const request = requestOf(modelType, backend);
        const factory = await requireEngine(modelType, backend);
        const complete = { ...engineOptions, modelType };
        if (!ranks) return factory.create(complete);
        const creation = { request, env: engineEnv(env), platform: platform.vendorName, options: complete };
        return composeRanks(factory, creation, ranks);
      },
    };
  };

  const host: Host = {
    registries,
    configSchemas: core.configSchemas,
    get report() {
      return core.report;
    },
    lock: core.lock,
    fingerprint: core.fingerprint,
    role,
    cwd,
    container: core.container,
    loadUserModule: load,
    loadDeadlineMs: core.loadDeadlineMs,
    registerUserHooks: async (references) => {
      for (const reference of references) {
        const sets = await userHooks(reference, load);
        core.registerUser({ name: reference, version: "local" }, (to) => {
          for (const hooks of sets) to.hooks.register(hooks);
        });
      }
    },
    freeze: () => core.freeze(),
    services,
    watchErrors: (report) => core.scope.watch(report),
    dispose: () => core.dispose(),
  };
  return host;
}

function rankMain({ rankMain: main }: HostOptions, ranks: number): URL {
  if (main) return main;
  throw engineErrors.VERL_ENGINE_ONE_PROCESS({
    what: `${ranks} training processes are asked for, and this program has no module for further ones`,
    fix: "Name it in `createHost({ rankMain })`, or set trainer.n_gpus_per_node to 1.",
  });
}

function rewardMain({ rewardMain: main }: HostOptions): URL {
  if (main) return main;
  throw rewardErrors.VERL_REWARD_NO_WORKERS({ what: "this program has no module for reward workers" });
}

function agentMain({ agentMain: main }: HostOptions): URL {
  if (main) return main;
  throw agentErrors.VERL_AGENT_NO_THREADS({ what: "this program has no module for threads that run agent loops" });
}

/** The variables that decide the lookup of engines. */
function engineEnv(env: NonNullable<HostOptions["env"]>) {
  const { VERL_ENGINE, VERL_ENGINE_DEVICE, VERL_ENGINE_VENDOR } = env;
  return { VERL_ENGINE, VERL_ENGINE_DEVICE, VERL_ENGINE_VENDOR };
}

function expectedLock({ driverLock, frozenPlugins }: HostOptions, cwd: string) {
  if (driverLock) {
    return { lock: driverLock, names: { expected: "the driver", actual: "this worker" }, replaces: true };
  }
  if (!frozenPlugins) return null;
  const file = frozenPlugins === true ? LOCK_FILE : frozenPlugins;
  const lock = typeof file === "string" ? readLock(path.resolve(cwd, file)) : file;
  return { lock, names: { expected: "the recorded lock", actual: "this installation" }, replaces: false };
}

/** `VERL_PLATFORM` is what the configuration's device came from, unless a command-line override beat it. */
function withSource({ platform, device }: PlatformWishes, env: NonNullable<HostOptions["env"]>): PlatformWishes {
  const variable = env.VERL_PLATFORM?.trim();
  const decides = variable && (!device || device.trim().toLowerCase() === variable.toLowerCase());
  return { platform: platform ?? (decides ? variable : null), device };
}

function notReady(plugin: string): never {
  throw platformErrors.VERL_PLATFORM_NOT_READY({
    what: `${plugin} asked for the current platform, which is chosen after every plugin has registered.`,
  });
}
