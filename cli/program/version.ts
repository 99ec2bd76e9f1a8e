import { createRequire } from "node:module";

// Compiled files lie in dist/cli/program, three folders below package.json.
export const VERSION = (createRequire(import.meta.url)("../../../package.json") as { version: string }).version;
