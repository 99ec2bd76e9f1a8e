// Benchmarks: bench/NAME/main.ts.
//   npm run bench -- NAME [arguments...]
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { root, runNode } from "./lib.mjs";

const code = runNode(["scripts/setup.mjs", "--quiet"]);
if (code !== 0) process.exit(code);

const folder = path.join(root, "dist", "bench");
const names = existsSync(folder)
  ? readdirSync(folder).filter((name) => existsSync(path.join(folder, name, "main.js")))
  : [];
const [name, ...rest] = process.argv.slice(2);
if (!names.includes(name)) {
  console.error(
    `${name ? `There is no benchmark ${name}.` : "Name a benchmark."} Known: ${names.join(", ") || "none"}.`,
  );
  process.exit(2);
}
process.exitCode = runNode([path.join("dist", "bench", name, "main.js"), ...rest]);
