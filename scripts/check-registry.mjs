// The packages as their users meet them: published to a real npm registry on this machine, created and installed from there.
//   npm run check:registry [-- --keep]     with --keep the folder with everything stays
// Takes some minutes and fetches what npm would fetch for a new user.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { root, runNode } from "./lib.mjs";
import { startRegistry } from "./local-registry.mjs";

const keep = process.argv.includes("--keep");
const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "verl-registry-")));
const at = (...parts) => path.join(folder, ...parts);
let failed = 0;
let passed = 0;
let registry;

try {
  registry = await startRegistry(folder);
  publishOurs();
  publishHardware();
  publishScaffold();
  createProject();
  useThePlugins();
  withoutOptional();
  insideOther();
} catch (error) {
  failed++;
  console.error(error.message);
} finally {
  await registry?.close();
  if (keep) console.log(`everything is in ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function publishOurs() {
  check("publish verl-ts", () => npm(root, "publish", "--ignore-scripts"));
  check("publish create-verl-ts", () => {
    if (runNode(["scripts/create-package.mjs", at("create")]) !== 0) throw new Error("create-package failed");
    npm(at("create"), "publish", "--ignore-scripts");
  });
  check("the registry has them", () => {
    const { version } = readJson(path.join(root, "package.json"));
    for (const name of ["verl-ts", "create-verl-ts"]) {
      expect(npm(folder, "view", name, "dist-tags.latest").stdout.trim(), version, name);
    }
  });
}

/** An author of a plugin, with nothing but its own folder. */
function publishHardware() {
  const own = (file) => !/[\\/](node_modules|dist)$/.test(file);
  cpSync(path.join(root, "examples/plugins/hardware"), at("hardware"), { recursive: true, filter: own });
  check("a plugin's author: npm install, build, test, publish", () => {
    npm(at("hardware"), "install");
    npm(at("hardware"), "run", "build");
    npm(at("hardware"), "test");
    npm(at("hardware"), "publish");
  });
}

function publishScaffold() {
  const kinds = "tracker,reward,sampler,dataset,command";
  check("npx verl plugins new, npm test, npm run conformance, publish", () => {
    npm(folder, "exec", "--package=verl-ts", "--", "verl", "plugins", "new", "@acme/verl-kit", "--kind", kinds);
    npm(at("verl-kit"), "install");
    npm(at("verl-kit"), "run", "conformance");
    npm(at("verl-kit"), "publish", "--access=public");
  });
}

function createProject() {
  check("npm create verl-ts@latest", () => npm(folder, "create", "verl-ts@latest", "my-run"));
  check("npm install", () => {
    const { stderr } = npm(at("my-run"), "install");
    expectNot(stderr, /warn (deprecated|EBADENGINE|ERESOLVE)/, "warnings");
  });
  check("npm test, npm run types", () => {
    npm(at("my-run"), "test");
    npm(at("my-run"), "run", "types");
  });
  check("npm run train: the reward rises", () => {
    npm(at("my-run"), "run", "train");
    const rewards = series(at("my-run/checkpoints/my-run/letters"), "critic/rewards/mean");
    const [first, last] = [rewards[0], rewards.at(-1)];
    console.log(`       ${rewards.length} steps, ${first.toFixed(3)} to ${last.toFixed(3)}`);
    if (!(last > first + 0.4)) throw new Error(`the reward went from ${first} to ${last}`);
  });
  check("npx verl inspect, compare, doctor, checkpoints", () => {
    const run = "checkpoints/my-run/letters";
    for (const args of [["inspect", run, "--list"], ["doctor"], ["checkpoints", run], ["compare", run, run]]) {
      verl(at("my-run"), args);
    }
  });
  check("npm create verl-ts@latest -- --template chat", () => {
    npm(folder, "create", "verl-ts@latest", "my-model", "--", "--template", "chat");
    if (!existsSync(at("my-model/package.json"))) throw new Error("no project was written");
  });
}

function useThePlugins() {
  const dir = at("my-run");
  const short = [
    "trainer.total_training_steps=2",
    "trainer.save_freq=-1",
    "trainer.test_freq=-1",
    "trainer.val_before_train=false",
  ];
  const train = (name, env, ...overrides) => {
    verl(dir, ["train", "grpo.yaml", ...short, `trainer.default_local_dir=${name}`, ...overrides], env);
    return path.join(dir, name);
  };
  check("npm install of the plugins", () => npm(dir, "install", "verl-acme-npu", "@acme/verl-kit"));
  check("they are listed, and not loaded", () => {
    const list = JSON.parse(verl(dir, ["plugins", "list", "--json"]).stdout);
    expect(
      list.available
        .map(({ name }) => name)
        .sort()
        .join(),
      "@acme/verl-kit,verl-acme-npu",
      "available",
    );
    expect(list.plugins.length, 0, "loaded");
  });
  check("VERL_USE_EXTERNAL_MODULES and VERL_PLATFORM train on the plugin's chip", () => {
    const out = train("on-acme", { VERL_USE_EXTERNAL_MODULES: "verl-acme-npu", VERL_PLATFORM: "acme" });
    expect(series(out, "acme/memory_used_gb").length, 2, "steps with the plugin's metric");
  });
  check("without them the same project trains as before", () => {
    expect(series(train("plain", {}), "acme/memory_used_gb").length, 0, "steps with the plugin's metric");
  });
  check("several plugins at once: a sampler, a tracker and a command", () => {
    const env = { VERL_USE_EXTERNAL_MODULES: "verl-acme-npu,@acme/verl-kit" };
    const out = train("kit", env, "data.sampler.name=kit", "trainer.logger=[console,jsonl,kit]");
    expect(readFileSync(path.join(out, "kit.txt"), "utf8").trim().split("\n").length, 2, "lines of the tracker");
    const counts = JSON.parse(verl(dir, ["kit", "--json"], env).stdout);
    expect(counts.samplers, 3, "samplers");
  });
  check("a lock is written and demanded", () => {
    const env = { VERL_USE_EXTERNAL_PLUGINS: "auto" };
    verl(dir, ["plugins", "list", "--write-lock"], env);
    verl(dir, ["config", "check", "grpo.yaml", "--frozen-plugins"], env);
  });
  for (const name of ["verl-acme-npu", "@acme/verl-kit"]) {
    check(`verl plugins test node_modules/${name}`, () => {
      const { stdout } = verl(dir, ["plugins", "test", `node_modules/${name}`]);
      console.log(`       ${stdout.trim().split("\n").at(-1)}`);
    });
  }
}

/** A machine without the engine: everything that needs none works, and what does says what to install. */
function withoutOptional() {
  const dir = at("light");
  const own = (file) => !/[\\/](node_modules|checkpoints|package-lock\.json)$/.test(file);
  cpSync(at("my-run"), dir, { recursive: true, filter: own });
  const packageJson = readJson(path.join(dir, "package.json"));
  for (const name of ["verl-acme-npu", "@acme/verl-kit"]) delete packageJson.dependencies[name];
  writeFileSync(path.join(dir, "package.json"), JSON.stringify(packageJson));
  // tsx compiles with a program that is an optional dependency too: TypeScript is a case of its own.
  const compiled = readFileSync(path.join(dir, "reward.ts"), "utf8")
    .replace(/import type .*/, "")
    .replace(": RewardFunction", "");
  writeFileSync(path.join(dir, "reward.mjs"), compiled);
  const plain = "reward.custom_reward_function.path=reward.mjs";
  const train = [
    "train",
    "grpo.yaml",
    "trainer.total_training_steps=1",
    "trainer.save_freq=-1",
    "trainer.default_local_dir=out",
  ];
  check("npm install --omit=optional", () => {
    npm(dir, "install", "--omit=optional");
    for (const name of ["onnxruntime-node", "koffi"]) {
      if (existsSync(path.join(dir, "node_modules", name))) throw new Error(`${name} is there`);
    }
  });
  check("what needs no engine works without it", () => {
    writeResponses(dir);
    for (const args of [
      ["--help"],
      ["plugins", "tree"],
      ["config", "check", "grpo.yaml"],
      ["train", "grpo.yaml", "--dry-run", plain],
      ["eval", "grpo.yaml", "--responses", "responses.jsonl", plain],
    ]) {
      verl(dir, args);
    }
  });
  const refused = (args, exitCode, code, command) => {
    const { status, stderr } = run(process.execPath, [cli(dir), ...args], dir, {});
    expect(status, exitCode, `exit code; ${stderr}`);
    for (const text of [code, command]) if (!stderr.includes(text)) throw new Error(`${text} is not in: ${stderr}`);
  };
  check("training says what to install, with a code", () =>
    refused([...train, plain], 1, "VERL_ONNX_NOT_INSTALLED", "npm install onnxruntime-node@"),
  );
  check("so does TypeScript, where Node.js does not run it by itself", () => {
    if (process.features.typescript) verl(dir, ["train", "grpo.yaml", "--dry-run"]);
    else refused(["train", "grpo.yaml", "--dry-run"], 2, "VERL_PLUGIN_TYPESCRIPT", "npm install --include=optional");
  });
  check("verl doctor says so too", () => {
    const { stdout } = run(process.execPath, [cli(dir), "doctor"], dir, {});
    if (!/onnxruntime-node/.test(stdout)) throw new Error(stdout);
  });
  check("npm install --include=optional, and then it trains", () => {
    npm(dir, "install", "--include=optional");
    verl(dir, train);
  });
}

/** In a project of another kind: CommonJS, and nothing but the library. */
function insideOther() {
  const dir = at("other");
  mkdirSync(dir);
  writeFileSync(path.join(dir, "package.json"), JSON.stringify({ name: "other", private: true }));
  check("npm install verl-ts in a project of another kind, imported from CommonJS", () => {
    npm(dir, "install", "--ignore-scripts", "verl-ts");
    const code = `Promise.all(["verl-ts", "verl-ts/plugin", "verl-ts/testing", "verl-ts/engines/onnx"].map((name) => import(name)))
      .then((entries) => console.log(entries.map((entry) => Object.keys(entry).length).join(" ")))`;
    const { stdout } = demand(run(process.execPath, ["--eval", code], dir, {}), "import");
    console.log(`       exports: ${stdout.trim()}`);
  });
}

function check(name, body) {
  const started = performance.now();
  try {
    body();
    passed++;
    console.log(`ok   ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}\n${error.message.replaceAll(/^/gm, "       ")}`);
  }
}

function npm(cwd, ...args) {
  const npmCli = process.env.npm_execpath;
  const [command, first] = npmCli && /\.c?js$/.test(npmCli) ? [process.execPath, [npmCli]] : ["npm", []];
  return demand(run(command, [...first, ...args], cwd, {}), `npm ${args.join(" ")}`);
}

function verl(cwd, args, env = {}) {
  return demand(run(process.execPath, [cli(cwd), ...args], cwd, env), `verl ${args.join(" ")}`);
}

/** Node.js 22 and later start it through npx as well; like this no shell is needed anywhere. */
function cli(cwd) {
  return path.join(cwd, "node_modules/verl-ts/dist/cli/main.js");
}

function run(command, args, cwd, env) {
  const shell = process.platform === "win32" && command === "npm";
  // The Node.js of this process is the user's too, also where npm starts it by name.
  const PATH = `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`;
  const result = spawnSync(command, args, {
    cwd,
    env: { ...registry.env, PATH, ...env },
    encoding: "utf8",
    shell,
    maxBuffer: 2 ** 26,
  });
  if (result.error) throw result.error;
  return result;
}

function demand(result, what) {
  if (result.status !== 0) throw new Error(`${what}: exit code ${result.status}\n${result.stdout}\n${result.stderr}`);
  return result;
}

function expect(actual, wanted, what) {
  if (actual !== wanted) throw new Error(`${what}: ${actual} instead of ${wanted}`);
}

function expectNot(text, pattern, what) {
  const found = text.split("\n").filter((line) => pattern.test(line));
  if (found.length > 0) throw new Error(`${what}:\n${found.join("\n")}`);
}

/** The values of a metric, step by step. */
function series(runFolder, metric) {
  const lines = readFileSync(path.join(runFolder, "metrics.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line).data[metric]).filter((value) => value !== undefined);
}

function writeResponses(dir) {
  const [row] = readFileSync(path.join(dir, "data/letters.jsonl"), "utf8").split("\n");
  writeFileSync(path.join(dir, "responses.jsonl"), `${JSON.stringify({ ...JSON.parse(row), responses: ["b"] })}\n`);
  return "responses.jsonl";
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
