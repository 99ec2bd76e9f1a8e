import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** Root of the repository, seen from dist/test/examples/plugins. */
export const repository = path.resolve(import.meta.dirname, "../../../..");
const MINUTE = 60_000;

export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A clean folder outside of the repository, where verl-ts and plugins are installed from packed tarballs, as a user would
 * from a registry. The plugins are compiled against the packed verl-ts, not against the sources.
 */
export class PackedWorkspace {
  private readonly root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "verl-packed-")));
  /** The user's project. */
  readonly dir = path.join(this.root, "project");

  /** Packs and installs verl-ts with the named folders of examples/plugins. */
  constructor(plugins: readonly string[]) {
    const tarballs = [npmPack(repository, this.root)];
    this.unpackForTypes(tarballs[0]);
    for (const name of plugins) tarballs.push(this.packPlugin(name));
    fs.mkdirSync(this.dir);
    const packageJson = {
      name: "user-project",
      private: true,
      type: "module",
      allowScripts: { "onnxruntime-node": false },
    };
    fs.writeFileSync(path.join(this.dir, "package.json"), JSON.stringify(packageJson));
    npm(["install", "--prefer-offline", "--no-audit", "--no-fund", ...tarballs], this.dir);
  }

  write(name: string, content: string): string {
    const file = path.join(this.dir, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
    return file;
  }

  read(name: string): string {
    return fs.readFileSync(path.join(this.dir, name), "utf8");
  }

  /** Runs the installed `verl`. Variables of verl in this process do not reach it. */
  verl(args: readonly string[], env: Readonly<Record<string, string>> = {}): CommandResult {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("VERL_"));
    const main = path.join(this.dir, "node_modules/verl-ts/dist/cli/main.js");
    return run(process.execPath, [main, ...args], this.dir, { ...Object.fromEntries(inherited), ...env });
  }

  /** Runs a script of an installed plugin's package. */
  node(args: readonly string[]): CommandResult {
    return run(process.execPath, args, this.dir, process.env);
  }

  remove(): void {
    fs.rmSync(this.root, { recursive: true, force: true });
  }

  /** Compiling a plugin needs the types of the packed verl-ts only; installing it for that would be wasted time. */
  private unpackForTypes(tarball: string): void {
    const target = path.join(this.root, "build/node_modules/verl-ts");
    fs.mkdirSync(target, { recursive: true });
    demand(run("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"], this.root, process.env), "tar");
    const nodeTypes = path.join(this.root, "build/node_modules/@types/node");
    fs.mkdirSync(path.dirname(nodeTypes), { recursive: true });
    fs.symlinkSync(path.join(repository, "node_modules/@types/node"), nodeTypes, "junction");
  }

  private packPlugin(name: string): string {
    const folder = path.join(this.root, "build", name);
    const source = path.join(repository, "examples/plugins", name);
    const own = (file: string) => !/[\\/](node_modules|dist)$/.test(file);
    fs.cpSync(source, folder, { recursive: true, filter: own });
    const compiler = path.join(repository, "node_modules/typescript/bin/tsc");
    demand(run(process.execPath, [compiler, "-p", folder], folder, process.env), `compiling ${name}`);
    return npmPack(folder, this.root);
  }
}

/** A file under examples/plugins that packages leave out, such as their tests. */
export function exampleFile(name: string): string {
  return fs.readFileSync(path.join(repository, "examples/plugins", name), "utf8");
}

export function npmPack(folder: string, destination: string): string {
  const output = npm(["pack", "--json", "--ignore-scripts", "--pack-destination", destination], folder);
  const [{ filename }] = JSON.parse(output) as { filename: string }[];
  return path.join(destination, filename);
}

export function npm(args: readonly string[], cwd: string): string {
  const cli = process.env.npm_execpath;
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL_CUDA: "skip" };
  const result = cli?.endsWith(".js") ? run(process.execPath, [cli, ...args], cwd, env) : run("npm", args, cwd, env);
  return demand(result, `npm ${args[0]}`);
}

export function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): CommandResult {
  const shell = process.platform === "win32" && command === "npm";
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env,
    shell,
    encoding: "utf8",
    timeout: 5 * MINUTE,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

export function demand({ status, stdout, stderr }: CommandResult, what: string): string {
  if (status !== 0) throw new Error(`${what} failed with status ${status}:\n${stdout}\n${stderr}`);
  return stdout;
}
