// What npm would publish: compiled code with types and the legal texts, nothing else, small, and importable as promised.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { bin, root, runCaptured, runNpm } from "./lib.mjs";

const MAX_BYTES = 2_000_000;
const CODE = /^dist\/(core|platforms|engines|plugins|cli|testing)\/.+\.(js|d\.ts|cjs|mjs|wasm|html|css)$/;
/** What the build records for the command line. */
const RECORDED = ["dist/cli/completion/words.json"];
const TEMPLATES = /^cli\/(create\/)?templates\//;
/** Run by the user's Python. */
const PYTHON = /^plugins\/trackers\/python\/\w+\.py$/;
const TEXTS = ["package.json", "README.md", "LICENSE", "NOTICE", "THIRD_PARTY_LICENSES.md"];

const results = [];
const check = (name, problems) => results.push({ name, problems });

const folder = mkdtempSync(path.join(os.tmpdir(), "verl-ts-pack-"));
try {
  const packed = runNpm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder]);
  if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.stderr}`);
  const [{ filename, size, files }] = JSON.parse(packed.stdout);
  const paths = files.map((file) => file.path);
  const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

  check(
    "only compiled code, templates and legal texts",
    paths.filter(
      (file) => ![CODE, TEMPLATES, PYTHON].some((kind) => kind.test(file)) && ![...TEXTS, ...RECORDED].includes(file),
    ),
  );
  check(
    "no tests",
    paths.filter((file) => !TEMPLATES.test(file) && /\.test\.|(^|\/)(test|fixtures)\//.test(file)),
  );
  check(
    "legal texts are there",
    TEXTS.filter((file) => !paths.includes(file)),
  );
  check(
    "every module has types",
    paths.filter((file) => CODE.test(file) && file.endsWith(".js") && !paths.includes(file.replace(/\.js$/, ".d.ts"))),
  );
  check(`smaller than ${MAX_BYTES} bytes`, size < MAX_BYTES ? [] : [`${size} bytes`]);
  check("the command is executable", executable(manifest));
  const licences = readFileSync(path.join(root, "THIRD_PARTY_LICENSES.md"), "utf8");
  const needed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  check(
    "every dependency's licence is named",
    needed.filter((name) => !licences.includes(`| ${name} |`)),
  );

  const { messages } = await publint({ pkgDir: root, strict: true, level: "warning" });
  check(
    "publint",
    messages.map((message) => formatMessage(message, manifest, { color: false })),
  );
  const tarball = path.join(folder, filename);
  const attw = await runCaptured(process.execPath, [
    bin("@arethetypeswrong/cli", "dist/index.js"),
    tarball,
    "--profile",
    "esm-only",
    "--definitely-typed",
    "false",
  ]);
  check("are the types wrong", attw.code === 0 ? [] : ["see above"]);
} catch (error) {
  check("the package can be made", [error.message]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

for (const { name, problems } of results) {
  console.log(`${problems.length === 0 ? "ok  " : "FAIL"} ${name}`);
  for (const problem of problems.slice(0, 20)) console.log(`       ${problem}`);
}
const failed = results.filter(({ problems }) => problems.length > 0).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function executable({ bin: commands }) {
  return Object.values(commands).filter(
    (file) => !readFileSync(path.join(root, file), "utf8").startsWith("#!/usr/bin/env node\n"),
  );
}
