/** Placeholder until the schema lands: the resolved, validated configuration tree with the reference's key names. */
export type RunConfig = Record<string, never>;
