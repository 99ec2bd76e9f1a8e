// Compiles everything into dist/ and removes what lost its source. With --watch it keeps compiling.
import { chmodSync, existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { bin, root, runNode } from "./lib.mjs";

// TypeScript 7 compiles several times faster; version 6 stays for tools that need the compiler as a library.
const compile = (project, ...args) =>
  runNode([bin("typescript-7", "bin/tsc"), "-p", path.join(root, project), ...args], { stdio: ["ignore", 2, 2] });
// What runs in a browser is compiled apart: it has a DOM and no Node.js.
const code = compile("cli/dashboard/web") || compile(".", ...process.argv.slice(2));
const dist = path.join(root, "dist");
if (existsSync(dist)) removeOrphans(dist);
const main = path.join(dist, "cli", "main.js");
if (existsSync(main)) chmodSync(main, 0o755);
// Words for `verl completion`, which is read whenever a shell starts and so must not load what knows them.
process.exitCode = code || runNode([path.join(dist, "cli", "completion", "record-words.js")]);

/** Compiled files whose source was moved or deleted: a stale test must not run, a stale module must not be published. */
function removeOrphans(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      removeOrphans(file);
      continue;
    }
    const [, stem] = /^(.*?)(?:\.js|\.d\.ts)(?:\.map)?$/.exec(entry.name) ?? [];
    if (stem === undefined) continue;
    const source = path.join(root, path.relative(dist, folder), stem);
    if (![".ts", ".mts", ".cts"].some((extension) => existsSync(source + extension))) rmSync(file);
  }
}
