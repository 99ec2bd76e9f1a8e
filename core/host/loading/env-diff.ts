export type Environment = Readonly<Record<string, string | undefined>>;

/** Names of variables that were set, changed or removed between two snapshots, sorted. Values stay out of reports. */
export function changedVariables(before: Environment, after: Environment): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]).sort();
}
