// Everything that must hold: lint and layers, build, unit tests, golden vectors, conformance cases, the package.
//   node scripts/test.mjs [STEP...]   steps: lint layers docs mocha golden cases package
// Ends with "N passed, N failed", the sum over all steps, and exits 0 only if nothing failed.
import { existsSync } from "node:fs";
import path from "node:path";
import { bin, root, runCaptured } from "./lib.mjs";

const node = (...args) => runCaptured(process.execPath, args);
const layered = ["core", "platforms", "engines", "plugins", "cli", "testing"].filter((room) =>
  existsSync(path.join(root, room)),
);

/** Each step runs one command; `counted` steps end with their own figures, the others count as one check. */
const steps = {
  lint: { run: () => node(bin("@biomejs/biome", "bin/biome"), "check", ".") },
  layers: {
    run: () =>
      node(bin("dependency-cruiser", "bin/dependency-cruise.mjs"), "--config", ".dependency-cruiser.cjs", ...layered),
  },
  docs: { run: () => node("scripts/docs.mjs", "--check") },
  mocha: { run: () => node(bin("mocha", "bin/mocha.js"), "dist/test/**/*.test.js"), count: mochaFigures },
  golden: { run: () => node("dist/test/golden/run.js", "test/golden", "--implemented"), count: ownFigures },
  cases: { run: () => node("dist/test/cases/run.js", "test/cases", "--implemented"), count: ownFigures },
  package: { run: () => node("scripts/pack-check.mjs"), count: ownFigures },
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in steps));
if (unknown.length > 0) {
  console.error(`Unknown step ${unknown.join(", ")}; steps are ${Object.keys(steps).join(", ")}.`);
  process.exit(2);
}

const summary = [];
for (const [name, { run, count }] of Object.entries(steps)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.log(`\n== ${name}`);
  const started = performance.now();
  const { code, output } = await run();
  const figures = count?.(output) ?? { passed: code === 0 ? 1 : 0, failed: 0 };
  // A step that fails without naming a failure has failed as a whole.
  const failed = code !== 0 && figures.failed === 0 ? 1 : figures.failed;
  summary.push({ name, passed: figures.passed, failed, seconds: (performance.now() - started) / 1000 });
}

console.log("");
for (const { name, passed, failed, seconds } of summary) {
  console.log(
    `${failed > 0 ? "FAIL" : "ok  "} ${name.padEnd(8)} ${passed} passed, ${failed} failed (${seconds.toFixed(1)} s)`,
  );
}
const total = (field) => summary.reduce((sum, step) => sum + step[field], 0);
console.log(`${total("passed")} passed, ${total("failed")} failed`);
process.exitCode = total("failed") === 0 && total("passed") > 0 ? 0 : 1;

function mochaFigures(output) {
  const figure = (word) => Number(new RegExp(`^\\s*(\\d+) ${word}`, "m").exec(output)?.[1] ?? 0);
  return { passed: figure("passing"), failed: figure("failing") };
}

function ownFigures(output) {
  const [, passed = 0, failed = 0] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  return { passed: Number(passed), failed: Number(failed) };
}
