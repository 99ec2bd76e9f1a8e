/**
 * How far a plugin may lean on a part of the plugin API. `stable`: it changes with a major version alone. `experimental`: it
 * may change with a minor one. An object: it works, and is gone with `removedIn`; `instead` says what to use.
 */
export type Stability =
  | "stable"
  | "experimental"
  | { readonly deprecatedSince: string; readonly removedIn: string; readonly instead: string };

/** A part of what a plugin registered that is not stable. */
export interface Unsettled {
  /** A member of the item, such as a hook's name; null: all of it. */
  readonly part: string | null;
  readonly stability: Exclude<Stability, "stable">;
}

/** `experimental`, or `deprecated since 1.2.0, gone with 2.0.0`; empty for what is stable. */
export function stabilityText(stability: Stability): string {
  if (stability === "stable") return "";
  if (stability === "experimental") return stability;
  return `deprecated since ${stability.deprecatedSince}, gone with ${stability.removedIn}`;
}

/** What of an item is not stable: the kind as a whole, then the parts that it has. */
export function unsettledOf(kind: Stability, parts: Readonly<Record<string, Stability>>): Unsettled[] {
  const all: readonly (readonly [part: string | null, stability: Stability])[] = [
    [null, kind],
    ...Object.entries(parts),
  ];
  return all.flatMap(([part, stability]) => (stability === "stable" ? [] : [{ part, stability }]));
}
