// The examples: examples/NAME/main.ts, each with its own options.
//   npm run examples                       all of them in full, one after the other
//   npm run examples -- NAME [arguments...]
//   npm run examples -- --seed 2           arguments without a name go to every one
import path from "node:path";
import { root, runNode } from "./lib.mjs";

/** Those that need nothing but this repository; gsm8k needs its data. */
const NAMES = ["guessing-game", "dynamic-filtering", "agent-manager", "langgraph", "react-sandbox"];

const code = runNode(["scripts/setup.mjs", "--quiet"]);
if (code !== 0) process.exit(code);

const [first, ...rest] = process.argv.slice(2);
const named = first !== undefined && !first.startsWith("-");
if (named && !NAMES.includes(first)) {
  console.error(`There is no example ${first}. Known: ${NAMES.join(", ")}.`);
  process.exit(2);
}
const chosen = named ? [first] : NAMES;
const args = named ? rest : process.argv.slice(2);
const failed = chosen.filter((name) => {
  if (!named) console.log(`\n== ${name}`);
  return runNode([path.join(root, "dist", "examples", name, "main.js"), ...args]) !== 0;
});
if (failed.length > 0) console.error(`failed: ${failed.join(", ")}`);
process.exitCode = failed.length > 0 ? 1 : 0;
