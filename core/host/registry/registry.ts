import { pluginErrors } from "../plugin-errors.js";
import { didYouMean } from "../util/nearest.js";
import type { Kind, Owner, Registry } from "./kind.js";
import { labelOfOwner } from "./owner-scope.js";
import { type Unsettled, unsettledOf } from "./stability.js";
import type { Kinds, PluginTransaction, Registration } from "./transaction.js";

export type RegistriesOf<M> = { readonly [K in keyof M]: Registry<M[K]> };

/** Something that a plugin holds in a registry. */
export interface Held {
  readonly kind: string;
  readonly key: string;
  /** Absent where all of it is stable. */
  readonly unsettled?: readonly Unsettled[];
}

/** One key that changed hands with `override: true`. */
export interface Override {
  readonly kind: string;
  readonly key: string;
  readonly from: Owner;
  readonly to: Owner;
}

interface Entry<T> {
  readonly item: T;
  readonly owner: Owner;
  /** Whether every process of the run has it, so that it belongs in the fingerprint. */
  readonly everywhere: boolean;
  readonly keys: string[];
}

/** All registries of one host: filled plugin by plugin, then frozen. */
export class RegistrySet<M extends object> {
  readonly registries: RegistriesOf<M>;
  readonly overrides: Override[] = [];
  private readonly tables: { readonly [K in keyof M]: Table<M[K]> };
  /** Who will hold a key once everything accepted is committed. */
  private readonly claims = new Map<string, Owner>();
  private frozen = false;

  constructor(
    private readonly kinds: Kinds<M>,
    /** Appended to "unknown name" errors: plugins that could not be loaded. */
    hint: () => string,
  ) {
    const names = Object.keys(kinds) as (keyof M & string)[];
    this.tables = Object.fromEntries(names.map((n) => [n, new Table(kinds[n], hint)])) as typeof this.tables;
    const views = names.map((n) => [n, this.tables[n].view()]);
    this.registries = Object.freeze(Object.fromEntries(views));
  }

  /** Checks a plugin's whole buffer against everything accepted before; all or nothing. */
  accept(transaction: PluginTransaction<M>): void {
    const { owner } = transaction;
    if (this.frozen) {
      throw pluginErrors.VERL_PLUGIN_LATE({ what: `${labelOfOwner(owner)} came after the registries were frozen.` });
    }
    const claimed: string[] = [];
    for (const { kind, keys, override } of transaction.registrations) {
      for (const key of keys) {
        const claim = `${String(kind)}\0${key}`;
        const holder = this.claims.get(claim);
        if (holder && !isSameOwner(holder, owner) && !override)
          throw duplicate(this.kinds[kind].name, key, holder, owner);
        claimed.push(claim);
      }
    }
    for (const claim of claimed) this.claims.set(claim, owner);
  }

  /** Makes the accepted registrations visible, those of `kinds` only when given. */
  commit(transaction: PluginTransaction<M>, only?: (kind: keyof M) => boolean): void {
    for (const registration of transaction.registrations) {
      if (only && !only(registration.kind)) continue;
      this.insert(registration, transaction);
    }
  }

  freeze(): void {
    this.frozen = true;
  }

  get isFrozen(): boolean {
    return this.frozen;
  }

  /** `key owner@version` of everything that all processes register, sorted, by kind. */
  describe(): Record<string, string[]> {
    const names = (Object.keys(this.kinds) as (keyof M & string)[]).sort();
    return Object.fromEntries(names.map((name) => [this.kinds[name].name, this.tables[name].describe()]));
  }

  /** What one owner holds, as `kind` and `key`, with what of it is not stable. */
  ownedBy(owner: Owner): Held[] {
    const names = Object.keys(this.kinds) as (keyof M & string)[];
    return names.flatMap((name) => heldBy(owner, this.kinds[name], this.tables[name]));
  }

  private insert<K extends keyof M>({ kind, item, keys }: Registration<M, K>, from: PluginTransaction<M>): void {
    const { owner, everywhere } = from;
    const replaced = this.tables[kind].insert(item, keys, owner, everywhere);
    this.overrides.push(
      ...replaced.map(({ key, owner: was }) => ({ kind: this.kinds[kind].name, key, from: was, to: owner })),
    );
  }
}

class Table<T> {
  readonly kind: string;
  private readonly byKey = new Map<string, Entry<T>>();
  private entries: Entry<T>[] = [];
  /** Entries as processes without role-restricted plugins see them. */
  private readonly shared = new Map<string, Owner>();

  constructor(
    kind: Kind<T>,
    private readonly hint: () => string,
  ) {
    this.kind = kind.name;
  }

  /** The read side: nobody who holds it can write. */
  view(): Registry<T> {
    const { kind } = this;
    return Object.freeze({
      kind,
      get: (key: string) => this.byKey.get(key)?.item ?? null,
      require: (key: string) => this.require(key),
      ownerOf: (key: string) => this.byKey.get(key)?.owner ?? null,
      keys: () => this.keys(),
      items: () => this.items(),
    });
  }

  /** Adds an item and returns the keys that it took from others. Keys that its own owner holds already stay as they are. */
  insert(item: T, keys: readonly string[], owner: Owner, everywhere: boolean): { key: string; owner: Owner }[] {
    const free = keys.filter((key) => {
      const holder = this.byKey.get(key);
      return !holder || !isSameOwner(holder.owner, owner);
    });
    const taken = free.flatMap((key) => {
      const holder = this.byKey.get(key);
      if (!holder) return [];
      holder.keys.splice(holder.keys.indexOf(key), 1);
      return [{ key, owner: holder.owner }];
    });
    if (free.length > 0) {
      const entry: Entry<T> = { item, owner, everywhere, keys: [...free] };
      this.entries = [...this.entries.filter((e) => e.keys.length > 0), entry];
      for (const key of free) this.byKey.set(key, entry);
    }
    if (everywhere) for (const key of keys) this.shared.set(key, owner);
    return taken;
  }

  require(key: string): T {
    const entry = this.byKey.get(key);
    if (entry) return entry.item;
    const known = this.keys();
    const hint = this.hint();
    throw pluginErrors.VERL_REGISTRY_UNKNOWN({
      what: `There is no ${this.kind} "${key}".${didYouMean(key, known)}`,
      why: known.length > 0 ? `Known: ${known.join(", ")}.` : `No ${this.kind} is registered at all.`,
      fix: hint === "" ? undefined : hint,
      data: { kind: this.kind, key, known },
    });
  }

  keys(): readonly string[] {
    return [...this.byKey.keys()].sort();
  }

  items(): readonly { readonly item: T; readonly keys: readonly string[]; readonly owner: Owner }[] {
    return this.entries.map(({ item, keys, owner }) => ({ item, keys: [...keys], owner }));
  }

  describe(): string[] {
    return [...this.shared].map(([key, owner]) => `${key} ${labelOfOwner(owner)}`).sort();
  }
}

function heldBy<T>(owner: Owner, kind: Kind<T>, table: Table<T>): Held[] {
  const items = table.items().filter((entry) => isSameOwner(entry.owner, owner));
  return items.flatMap(({ item, keys }) => {
    const unsettled = unsettledOf(kind.stability ?? "stable", kind.partsOf?.(item) ?? {});
    return keys.map((key) => ({ kind: kind.name, key, ...(unsettled.length > 0 ? { unsettled } : {}) }));
  });
}

function isSameOwner(a: Owner, b: Owner): boolean {
  return a.name === b.name && a.version === b.version;
}

function duplicate(kind: string, key: string, first: Owner, second: Owner): Error {
  return pluginErrors.VERL_PLUGIN_DUPLICATE({
    what: `The ${kind} "${key}" is registered by both ${labelOfOwner(first)} and ${labelOfOwner(second)}.`,
    fix: `Leave one of them out. If ${second.name} is meant to replace it, it registers with { override: true }.`,
    data: { kind, key, owners: [labelOfOwner(first), labelOfOwner(second)] },
  });
}
