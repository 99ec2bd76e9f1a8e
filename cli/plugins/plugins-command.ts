import { createHost } from "../../core/index.js";
import { BUILTINS } from "../builtins.js";
import { diagnosePlatforms, diagnosePlugins } from "../doctor/plugins.js";
import { EXIT } from "../program/report-error.js";
import { type PluginsOutput, type PluginsRequest, quiet } from "./plugins-list.js";

/** `verl plugins tree`: loads them, and shows what each registered, who replaced whom, and what it took. */
export async function pluginTree(request: PluginsRequest): Promise<PluginsOutput> {
  const host = await createHost({ ...request, builtins: BUILTINS, logger: quiet, allowBrokenPlugins: true });
  try {
    const { report } = host;
    const exitCode = report.failures.length === 0 ? EXIT.ok : EXIT.usage;
    return { text: report.tree(), json: report.toJSON(), exitCode };
  } finally {
    await host.dispose();
  }
}

/** `verl plugins doctor`: loads every plugin, probes every platform, and says what is wrong and how to fix it. */
export async function pluginDoctor(request: PluginsRequest): Promise<PluginsOutput> {
  const host = await createHost({ ...request, builtins: BUILTINS, logger: quiet, allowBrokenPlugins: true });
  try {
    const findings = [...diagnosePlugins(host), ...(await diagnosePlatforms(host, request.env))];
    const text = findings.map(({ name, status, detail, fix }) => {
      const head = `${status.padEnd(7)}  ${name}: ${detail}`;
      return fix ? `${head}\n         fix: ${fix}` : head;
    });
    const failed = findings.some((f) => f.status === "failed");
    return { text: text.join("\n"), json: { findings }, exitCode: failed ? EXIT.usage : EXIT.ok };
  } finally {
    await host.dispose();
  }
}
