// An npm registry on this machine, for checks: a real one (Verdaccio), installed into the folder that it is given, which holds its
// packages too. What it does not have it fetches from the registry that npm is set to. Listens on loopback alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runNpm } from "./lib.mjs";

/** The last version that runs on Node.js 20. */
const VERDACCIO = "verdaccio@6.8.0";
const START_MS = 60_000;

/** Packages that people publish to it; all others come from npm. */
const OURS = ["verl-ts", "create-verl-ts", "verl-*", "@acme/*"];

/**
 * Installs and starts it. `env` makes any npm command use it, with a cache of its own; `close` ends it.
 * @param folder  empty, to be removed by the caller
 */
export async function startRegistry(folder) {
  const home = path.join(folder, "registry");
  mkdirSync(home, { recursive: true });
  // It asks for a tag of node-fetch, which mirrors of npm may not have.
  const packageJson = { private: true, overrides: { "node-fetch": "2.7.0" } };
  writeFileSync(path.join(home, "package.json"), JSON.stringify(packageJson));
  const installed = runNpm(["install", "--no-audit", "--no-fund", "--ignore-scripts", VERDACCIO], { cwd: home });
  if (installed.status !== 0) throw new Error(`${VERDACCIO} cannot be installed: ${installed.stderr}`);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  writeFileSync(path.join(home, "config.yaml"), config(home));
  const binary = path.join(home, "node_modules/verdaccio/bin/verdaccio");
  const args = [binary, "--config", path.join(home, "config.yaml"), "--listen", `127.0.0.1:${port}`];
  const cafile = npmSetting("cafile");
  const env = { ...process.env, ...(cafile === null ? {} : { NODE_EXTRA_CA_CERTS: cafile }) };
  const server = spawn(process.execPath, args, { cwd: home, env, stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  server.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  const close = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill();
    await once(server, "exit");
  };
  try {
    await answering(url, server);
    const token = await newUser(url);
    const npmrc = path.join(folder, "npmrc");
    writeFileSync(npmrc, `registry=${url}\n//127.0.0.1:${port}/:_authToken=${token}\n`, { mode: 0o600 });
    return { url, env: npmEnv(folder, npmrc, url), close };
  } catch (error) {
    await close();
    throw new Error(`${error.message}\n${errors}`, { cause: error });
  }
}

/** A user who has nothing set: their npm knows this registry, and their cache is empty. */
function npmEnv(folder, npmrc, url) {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^VERL_/i.test(name));
  return {
    ...Object.fromEntries(own),
    npm_config_userconfig: npmrc,
    npm_config_registry: url,
    npm_config_cache: path.join(folder, "cache"),
    npm_config_yes: "true",
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
    // The onnxruntime package would fetch CUDA files from outside npm in its install script.
    ONNXRUNTIME_NODE_INSTALL_CUDA: "skip",
  };
}

function config(home) {
  const upstream = { url: npmSetting("registry"), timeout: "60s", maxage: "30m" };
  const open = { access: "$all", publish: "$authenticated" };
  return JSON.stringify({
    storage: path.join(home, "storage"),
    auth: { htpasswd: { file: path.join(home, "users"), max_users: 1 } },
    uplinks: { upstream },
    packages: { ...Object.fromEntries(OURS.map((name) => [name, open])), "**": { access: "$all", proxy: "upstream" } },
    max_body_size: "50mb",
    web: { enable: false },
    log: { type: "stdout", format: "pretty", level: "error" },
  });
}

function npmSetting(name) {
  const value = runNpm(["config", "get", name]).stdout.trim();
  return value === "" || value === "null" || value === "undefined" ? null : value;
}

async function freePort() {
  const probe = net.createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

async function answering(url, server) {
  const until = Date.now() + START_MS;
  while (Date.now() < until && server.exitCode === null) {
    try {
      if ((await fetch(`${url}-/ping`)).ok) return;
    } catch {
      // Not yet.
    }
    await sleep(100);
  }
  throw new Error(
    server.exitCode === null ? "the registry does not answer" : `the registry ended with ${server.exitCode}`,
  );
}

/** What `npm adduser` does. */
async function newUser(url) {
  const user = {
    name: "author",
    password: crypto.randomUUID(),
    type: "user",
    roles: [],
    date: new Date().toISOString(),
  };
  const response = await fetch(`${url}-/user/org.couchdb.user:author`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ _id: "org.couchdb.user:author", ...user }),
  });
  const { token } = await response.json();
  if (typeof token !== "string") throw new Error(`the registry takes no user: status ${response.status}`);
  return token;
}
