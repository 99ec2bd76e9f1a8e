import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { lineLogger, type PluginRecord, type ProcessRole } from "../../core/host/index.js";
import { createHost, type Host, KINDS } from "../../core/index.js";
import type { Plugin, PluginHost } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";

export interface PluginConformanceOptions {
  /** Plugins that this one needs to be there. */
  readonly with?: readonly Plugin[];
}

/**
 * What every plugin must do, whatever it provides. `subject` is the plugin, or the folder of its package, which is then
 * loaded by its manifest as a user's run would.
 */
export function pluginConformance(subject: Plugin | string, options: PluginConformanceOptions = {}): ConformanceCase[] {
  const others = options.with ?? [];
  const log: string[] = [];
  const start = (plugin: Plugin | string, role: ProcessRole) =>
    createHost({
      builtins: typeof plugin === "string" ? others : [...others, plugin],
      plugins: typeof plugin === "string" ? [plugin] : [],
      env: {},
      role,
      logger: lineLogger((line) => log.push(line)),
    });
  const withHost = async <T>(
    role: ProcessRole,
    body: (host: Host, record: PluginRecord) => T | Promise<T>,
  ): Promise<T> => {
    const host = await start(subject, role);
    try {
      return await body(host, host.report.plugins.at(-1)!);
    } finally {
      await host.dispose();
    }
  };
  const roles: readonly ProcessRole[] = ["driver", "trainer", "rollout", "reward", "agent"];

  return [
    {
      name: "is accepted by this version of the plugin API and registers without an error",
      run: () => withHost("driver", (_, { status }) => assert.notEqual(status, "failed")),
    },
    {
      name: "registers the kinds that it declares, all of them",
      async run() {
        const declared = new Set<string>();
        const registered = new Set<string>();
        for (const role of roles) {
          await withHost(role, (_, record) => {
            for (const kind of record.provides) declared.add(kind);
            for (const { kind } of record.registered) registered.add(kind);
          });
        }
        assert.deepEqual([...registered].sort(), [...declared].sort());
      },
    },
    {
      name: "registers the same every time",
      async run() {
        const first = await withHost("driver", (host) => host.fingerprint.kinds);
        assert.deepEqual(await withHost("driver", (host) => host.fingerprint.kinds), first);
      },
    },
    {
      name: "registers the same in every process of a run, so that their fingerprints agree",
      async run() {
        const driver = await withHost("driver", (host) => host.fingerprint.kinds);
        for (const role of roles) {
          assert.deepEqual(await withHost(role, (host) => host.fingerprint.kinds), driver, role);
        }
      },
    },
    {
      name: "leaves the environment as it was",
      async run() {
        const before = { ...process.env };
        await withHost("driver", (_, { changedEnv }) => assert.deepEqual(changedEnv, []));
        assert.deepEqual({ ...process.env }, before);
      },
    },
    {
      name: "is disposed without an error",
      async run() {
        log.length = 0;
        await withHost("driver", () => {});
        assert.deepEqual(
          log.filter((line) => line.includes("while it was disposed")),
          [],
        );
      },
    },
    {
      name: "registers nothing after its register has settled",
      async run() {
        if (typeof subject === "string") return;
        const late: string[] = [];
        const host = await start(
          watched(subject, (kind) => late.push(kind)),
          "driver",
        );
        await sleep(20);
        await host.dispose();
        assert.deepEqual(late, []);
      },
    },
  ];
}

/** The same plugin; a registration after `register` has settled goes to `onLate` instead of throwing somewhere. */
function watched(plugin: Plugin, onLate: (kind: string) => void): Plugin {
  return {
    ...plugin,
    async register(host) {
      let settled = false;
      const registrars = Object.keys(KINDS).map((kind) => {
        const { register } = host[kind as keyof typeof KINDS] as { register(...args: unknown[]): void };
        return [kind, { register: (...args: unknown[]) => (settled ? onLate(kind) : register(...args)) }];
      });
      await plugin.register({ ...host, ...Object.fromEntries(registrars) } as PluginHost);
      settled = true;
    },
  };
}
