// Makes a clone ready: checks Node.js, installs what package-lock.json asks for, builds. Does nothing that is done already.
//   node scripts/setup.mjs [--quiet]
import { existsSync, lstatSync, readFileSync } from "node:fs";
import path from "node:path";
import { root, runNode, runNpm } from "./lib.mjs";

const quiet = process.argv.includes("--quiet");
const say = (text) => quiet || console.log(text);

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 11)) {
  console.error(`verl-ts needs Node.js 20.11 or newer; this is ${process.versions.node}.`);
  process.exit(2);
}

const reason = whatIsMissing();
if (reason) install(reason);
const code = runNode(["scripts/build.mjs"], quiet ? { stdio: ["ignore", 2, 2] } : {});
if (code !== 0) {
  console.error("The build failed.");
  process.exit(code);
}

/** Compares what is installed with package-lock.json; null when it matches. Packages for other machines do not count. */
function whatIsMissing() {
  const installed = readJson(path.join(root, "node_modules", ".package-lock.json"));
  if (!installed) return "nothing is installed yet";
  const wanted = readJson(path.join(root, "package-lock.json"));
  if (!wanted) return null;
  for (const [where, { version, optional, link }] of Object.entries(wanted.packages)) {
    if (where === "" || link) continue;
    const found = installed.packages[where]?.version;
    if (found === undefined ? !optional : found !== version) {
      return `${where.replace(/^node_modules\//, "")} ${version} is wanted, ${found ?? "nothing"} is installed`;
    }
  }
  return null;
}

function install(why) {
  const folder = path.join(root, "node_modules");
  if (existsSync(folder) && lstatSync(folder).isSymbolicLink()) {
    console.error(`node_modules is a link and does not match package-lock.json: ${why}. Install where it points to.`);
    process.exit(1);
  }
  say(`Installing: ${why}.`);
  const lock = existsSync(path.join(root, "package-lock.json"));
  // The onnxruntime package would fetch CUDA files from outside npm in its install script.
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL_CUDA: "skip" };
  const stdio = quiet ? ["ignore", "ignore", "inherit"] : ["ignore", 2, 2];
  const args = ["--prefer-offline", "--no-audit", "--no-fund", ...(quiet ? ["--loglevel=error"] : [])];
  const result = runNpm([lock ? "ci" : "install", ...args], { env, stdio });
  if (result.status !== 0) {
    console.error(`npm ${lock ? "ci" : "install"} failed${result.error ? `: ${result.error.message}` : ""}.`);
    process.exit(result.status ?? 1);
  }
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}
