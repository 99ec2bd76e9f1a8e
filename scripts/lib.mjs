// Shared by the scripts. Plain Node.js: it runs before anything is installed.
import { spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Runs a Node.js script of this repository, its output shown; returns the exit code. */
export function runNode(args, options = {}) {
  const result = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", ...options });
  if (result.error) throw result.error;
  return result.status ?? 1;
}

/** Runs a command, shows its output, and also returns it. */
export function runCaptured(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], ...options });
    let output = "";
    const keep = (to) => (chunk) => {
      output += chunk;
      to.write(chunk);
    };
    child.stdout.on("data", keep(process.stdout));
    child.stderr.on("data", keep(process.stderr));
    child.on("error", (error) => resolve({ code: 1, output: `${output}${error.message}` }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/** The npm that runs this script, or the one on the path. */
export function runNpm(args, options = {}) {
  const cli = process.env.npm_execpath;
  const settings = { cwd: root, encoding: "utf8", ...options };
  if (cli && /\.c?js$/.test(cli)) return spawnSync(process.execPath, [cli, ...args], settings);
  return spawnSync("npm", args, { ...settings, shell: process.platform === "win32" });
}

/** A tool of node_modules/.bin, started without a shell. */
export function bin(name, file) {
  return path.join(root, "node_modules", name, file);
}
