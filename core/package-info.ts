import { createRequire } from "node:module";

// Compiled files lie in dist/core, two folders below package.json.
const { name, version } = createRequire(import.meta.url)("../../package.json") as { name: string; version: string };

/** Name and version of this package, as installed. */
export const PACKAGE = { name, version } as const;
