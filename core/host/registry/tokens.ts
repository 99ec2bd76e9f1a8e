/**
 * Tokens of the container. `Symbol.for` makes them the same in every copy of this package, and explicit tokens are the
 * only way in: nothing is resolved by a class's type.
 */
export const TOKENS = {
  settings: Symbol.for("verl.host.settings"),
  logger: Symbol.for("verl.host.logger"),
  importer: Symbol.for("verl.host.importer"),
  loading: Symbol.for("verl.host.loading"),
  scope: Symbol.for("verl.host.scope"),
} as const;

/** Token of the registry of a kind, by the kind's singular name: `tokenOf("engine")`. */
export function tokenOf(kind: string): symbol {
  return Symbol.for(`verl.${kind}`);
}
