/** The resolved, validated configuration tree of a run, under the reference's key names. */
export type { RunConfig } from "./schema/root.js";
