import { whyNoEngine } from "../../core/engine/index.js";
import { type PluginRecord, stabilityText } from "../../core/host/index.js";
import type { Host } from "../../core/index.js";
import { namesOf, probePlatforms } from "../../core/platform/index.js";
import type { Diagnosis } from "../../core/plugin.js";

/** What a host loaded from outside, what it could not load, and what is odd about it. */
export function diagnosePlugins({ report }: Host): Diagnosis[] {
  const external = report.plugins.filter((p) => p.source !== "builtin");
  if (external.length === 0) return [{ name: "plugins", status: "ok", detail: "none besides the built-ins" }];
  const replaced = report.overrides.map(({ kind, key, from, to }): Diagnosis => {
    const detail = `replaces the ${kind} "${key}" of ${from.name}@${from.version}`;
    return { name: `plugin ${to.name}`, status: "warning", detail };
  });
  return [...external.flatMap(diagnosePlugin), ...replaced];
}

/** What each platform's probe found; `VERL_PLATFORM`, when set, must name a usable one. */
export async function diagnosePlatforms(
  { registries }: Host,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Diagnosis[]> {
  const wish = env.VERL_PLATFORM?.trim().toLowerCase();
  const probes = await probePlatforms(registries.platforms);
  const findings = await Promise.all(
    probes.map(async (probe): Promise<Diagnosis> => {
      const { status, reason } = probe.result;
      const idle = status === "yes" && probe.platform ? await whyNoEngine(registries.engines, probe.platform) : null;
      const answer = { yes: "usable", no: "not present", unusable: "unusable" }[status];
      const wished = wish !== undefined && namesOf(probe).includes(wish);
      const works = status === "yes" && idle === null;
      const verdict = wished && !works ? "failed" : status === "no" || works ? "ok" : "warning";
      const notes = [idle ? `; no engine can compute on it: ${idle}` : "", wished ? " (named by VERL_PLATFORM)" : ""];
      return { name: `platform ${probe.vendor}`, status: verdict, detail: `${answer}: ${reason}${notes.join("")}` };
    }),
  );
  if (wish && !probes.some((probe) => namesOf(probe).includes(wish))) {
    const fix = `Use one of ${probes.map((p) => p.vendor).join(", ")}, or load the plugin that provides it.`;
    findings.push({
      name: `platform ${wish}`,
      status: "failed",
      detail: "named by VERL_PLATFORM, not registered",
      fix,
    });
  }
  if (probes.some(({ result }) => result.status === "yes")) return findings;
  return [...findings, { name: "platforms", status: "failed", detail: "no platform is usable" }];
}

function diagnosePlugin(plugin: PluginRecord): Diagnosis[] {
  const name = `plugin ${plugin.version === "?" ? plugin.specifier : `${plugin.name}@${plugin.version}`}`;
  const { error, registered, provides, changedEnv } = plugin;
  if (error) {
    const fix = error.fix ? { fix: error.fix } : {};
    return [{ name, status: "failed", detail: `${error.code}: ${error.what}`, ...fix }];
  }
  if (plugin.status === "skipped") return [{ name, status: "ok", detail: plugin.reason ?? "skipped" }];
  const kinds = new Set(registered.map((r) => r.kind));
  const keys = registered.map((r) => `${r.kind} ${r.key}`).join(", ");
  const findings: Diagnosis[] = [{ name, status: "ok", detail: keys === "" ? "registered nothing" : keys }];
  findings.push(...registered.flatMap((held) => diagnoseStability(name, held)));
  const unused = provides.filter((kind) => !kinds.has(kind));
  if (unused.length > 0) {
    const detail = `declares ${unused.join(", ")} and registered none`;
    findings.push({ name, status: "warning", detail, fix: 'Its author corrects "provides".' });
  }
  if (changedEnv.length > 0) {
    findings.push({ name, status: "warning", detail: `changed process.env: ${changedEnv.join(", ")}` });
  }
  return findings;
}

/** Parts of the plugin API that a plugin leans on and that will change, or go. */
function diagnoseStability(
  name: string,
  { kind, key, unsettled = [] }: PluginRecord["registered"][number],
): Diagnosis[] {
  return unsettled.map(({ part, stability }): Diagnosis => {
    const what = `${kind} ${key}${part === null ? "" : `, ${part}`}`;
    if (stability === "experimental") {
      const detail = `${what}: this part of the plugin API is experimental and may change with a minor version`;
      return { name, status: "ok", detail };
    }
    const fix = `Its author uses ${stability.instead}.`;
    return { name, status: "warning", detail: `${what}: ${stabilityText(stability)} of the plugin API`, fix };
  });
}
