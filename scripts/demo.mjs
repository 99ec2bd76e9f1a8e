// The demonstration: see examples/arithmetic. Everything after `npm run demo --` is handed on.
import { runNode } from "./lib.mjs";

process.exitCode = runNode(["dist/examples/arithmetic/main.js", ...process.argv.slice(2)]);
