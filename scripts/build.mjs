// Compiles everything into dist/. With --watch it keeps compiling.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const result = spawnSync(process.execPath, [tsc, "-p", root, ...process.argv.slice(2)], {
  stdio: "inherit",
  cwd: root,
});
const bin = path.join(root, "dist/cli/main.js");
if (existsSync(bin)) chmodSync(bin, 0o755);
process.exit(result.status ?? 1);
