// Puts the package behind `npm create verl-ts` together, from a finished build:
//   node scripts/create-package.mjs FOLDER && npm publish FOLDER
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./lib.mjs";

const [target] = process.argv.slice(2);
if (target === undefined) {
  console.error("node scripts/create-package.mjs FOLDER");
  process.exit(2);
}
const versionOf = (file) => JSON.parse(readFileSync(path.join(root, file), "utf8")).version;
if (versionOf("package.json") !== versionOf("cli/create/package.json")) {
  console.error("cli/create/package.json must have the version of package.json: projects depend on that.");
  process.exit(1);
}
mkdirSync(path.join(target, "dist"), { recursive: true });
for (const file of ["main.js", "scaffold.js", "next-steps.js"]) {
  copyFileSync(path.join(root, "dist/cli/create", file), path.join(target, "dist", file));
}
chmodSync(path.join(target, "dist/main.js"), 0o755);
cpSync(path.join(root, "cli/create/templates"), path.join(target, "templates"), { recursive: true });
for (const file of ["cli/create/package.json", "LICENSE"]) {
  copyFileSync(path.join(root, file), path.join(target, path.basename(file)));
}
