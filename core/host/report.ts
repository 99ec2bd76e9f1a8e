import { short } from "./loading/lock.js";
import type { PluginRecord } from "./loading/plugin-record.js";
import type { Held, Override } from "./registry/registry.js";
import { stabilityText } from "./registry/stability.js";

/** What a host loaded, skipped and could not load. */
export class PluginReport {
  constructor(
    private readonly records: readonly PluginRecord[],
    private readonly replaced: readonly Override[],
  ) {}

  /** In load order; plugins that failed before they could be ordered come last. */
  get plugins(): readonly PluginRecord[] {
    return [...this.records];
  }

  get overrides(): readonly Override[] {
    return [...this.replaced];
  }

  get failures(): readonly PluginRecord[] {
    return this.records.filter((r) => r.status === "failed");
  }

  /** One line for each external plugin that was loaded, printed at the start of a run. */
  startLines(): string[] {
    return this.records
      .filter((r) => r.source !== "builtin" && r.status === "loaded")
      .map(
        (r) => `plugin ${r.name}@${r.version} ${r.hash === null ? "" : short(r.hash)} from ${r.entry ?? r.specifier}`,
      );
  }

  /** Added to "unknown name" errors: it may be a plugin's failure that made the name unknown. */
  hint(): string {
    const lines = this.failures.map((r) => `${r.name} (${r.error?.code}: ${r.error?.what})`);
    return lines.length === 0 ? "" : `These plugins could not be loaded: ${lines.join("; ")}`;
  }

  /** The failures as cards, for the end of a run under `--allow-broken-plugins`. */
  failureText(): string {
    return this.failures.map((r) => r.error!.message).join("\n\n");
  }

  /** Every plugin with what it registered, and who replaced whom. */
  tree(): string {
    const lines: string[] = [];
    for (const r of this.records) {
      const timing = `import ${r.importMs.toFixed(0)} ms, register ${r.registerMs.toFixed(0)} ms`;
      const detail =
        r.status === "loaded" ? (r.source === "builtin" ? "built in" : timing) : (r.reason ?? r.error?.code);
      lines.push(`${r.name}@${r.version} (${r.status === "loaded" ? "" : `${r.status}, `}${detail})`);
      const byKind = new Map<string, string[]>();
      for (const held of r.registered) byKind.set(held.kind, [...(byKind.get(held.kind) ?? []), labelled(held)]);
      const branches = [...byKind].map(([kind, keys]) => `${kind}: ${keys.join(", ")}`);
      for (const name of r.changedEnv) branches.push(`changed process.env.${name}`);
      if (r.error) branches.push(...r.error.message.split("\n").map((line) => line.trim()));
      for (const [i, branch] of branches.entries()) lines.push(`${i === branches.length - 1 ? "└─" : "├─"} ${branch}`);
    }
    for (const o of this.replaced) {
      lines.push(
        `${o.kind} "${o.key}" of ${o.from.name}@${o.from.version} is replaced by ${o.to.name}@${o.to.version}`,
      );
    }
    return lines.join("\n");
  }

  toJSON(): Record<string, unknown> {
    const plugins = this.records.map((r) => ({ ...r, error: r.error?.toJSON() }));
    return { plugins, overrides: this.replaced };
  }
}

/** A key, and what of it is not stable. */
function labelled({ key, unsettled = [] }: Held): string {
  const notes = unsettled.map(
    ({ part, stability }) => `${part === null ? "" : `${part}: `}${stabilityText(stability)}`,
  );
  return notes.length === 0 ? key : `${key} (${notes.join("; ")})`;
}
