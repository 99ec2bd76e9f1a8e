import { isVerlError, reasonOf } from "../errors.js";
import { pluginErrors } from "../plugin-errors.js";
import type { Kind, Owner, Registrar } from "./kind.js";
import { labelOfOwner } from "./owner-scope.js";

/** The table of kinds: registrar name → kind. */
export type Kinds<M> = { readonly [K in keyof M]: Kind<M[K]> };
export type RegistrarsOf<M> = { readonly [K in keyof M]: Registrar<M[K]> };

/** One buffered call of `register`. */
export interface Registration<M, K extends keyof M = keyof M> {
  readonly kind: K;
  readonly item: M[K];
  readonly keys: readonly string[];
  readonly override: boolean;
}

/**
 * What one plugin registers, held back until the plugin as a whole is accepted. The registrars die with `revoke`.
 */
export class PluginTransaction<M> {
  readonly registrars: RegistrarsOf<M>;
  readonly registrations: Registration<M>[] = [];
  private revoked: string | null = null;

  constructor(
    readonly owner: Owner,
    /** Whether every process of the run loads this owner. */
    readonly everywhere: boolean,
    private readonly kinds: Kinds<M>,
    /** Kinds that the plugin declared; null: any. */
    private readonly provides: readonly string[] | null,
  ) {
    const names = Object.keys(kinds) as (keyof M & string)[];
    const entries = names.map((name) => {
      const registrar: Registrar<M[typeof name]> = {
        register: (item, options) => this.add(name, item, options?.override ?? false),
      };
      return [name, Object.freeze(registrar)];
    });
    this.registrars = Object.freeze(Object.fromEntries(entries)) as RegistrarsOf<M>;
  }

  /** Later calls of `register` throw `VERL_PLUGIN_LATE`, which says `when`. */
  revoke(when: string): void {
    this.revoked ??= when;
  }

  private add<K extends keyof M & string>(name: K, item: M[K], override: boolean): void {
    const label = labelOfOwner(this.owner);
    const kind = this.kinds[name];
    if (this.revoked !== null) {
      throw pluginErrors.VERL_PLUGIN_LATE({
        what: `${label} tried to register ${article(kind.name)} ${this.revoked}.`,
      });
    }
    if (this.provides !== null && !this.provides.includes(kind.name)) {
      throw pluginErrors.VERL_PLUGIN_UNDECLARED({
        what: `${label} registers ${article(kind.name)}, which it does not declare.`,
        why: `Its "provides" lists ${this.provides.join(", ") || "nothing"}.`,
        fix: `Add "${kind.name}" to "provides".`,
      });
    }
    const keys = this.keysOf(kind, item);
    const same = this.registrations.filter((r) => r.kind === name);
    if (same.some((r) => r.item === item)) return;
    const taken = keys.find((key) => same.some((r) => r.keys.includes(key)));
    if (taken !== undefined) {
      throw pluginErrors.VERL_PLUGIN_DUPLICATE({
        what: `${label} registers the ${kind.name} "${taken}" twice.`,
        fix: "Register each key once.",
      });
    }
    this.registrations.push({ kind: name, item, keys, override });
  }

  private keysOf<T>(kind: Kind<T>, item: T): readonly string[] {
    const bad = (why: string) =>
      pluginErrors.VERL_PLUGIN_BAD_ITEM({
        what: `${labelOfOwner(this.owner)} registers ${article(kind.name)} that is not complete.`,
        why,
      });
    const missing = kind.check(item);
    if (missing !== null) throw bad(`It needs ${missing}.`);
    let keys: readonly unknown[];
    try {
      keys = kind.keysOf(item);
    } catch (error) {
      throw isVerlError(error) ? error : bad(`Its key cannot be read: ${reasonOf(error)}`);
    }
    if (keys.length === 0 || !keys.every((key) => typeof key === "string" && key !== "")) {
      throw bad("It has no name under which it could be found.");
    }
    return keys as readonly string[];
  }
}

function article(kind: string): string {
  return /^[aeiou]/.test(kind) ? `an ${kind}` : kind === "hooks" ? kind : `a ${kind}`;
}
