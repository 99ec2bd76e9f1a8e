import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** Files by relative path; objects are written as JSON. */
export type Files = Readonly<Record<string, string | object>>;

/** A user's folder on disk, made for one test. */
export class Project {
  readonly dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "verl-project-")));

  constructor(files: Files = {}) {
    this.write({ "package.json": { name: "user-project", version: "1.0.0", type: "module" }, ...files });
  }

  write(files: Files): this {
    for (const [name, content] of Object.entries(files)) {
      const file = this.path(name);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
    }
    return this;
  }

  /** Installs a package into node_modules. `verl: undefined` leaves the manifest out. */
  install(name: string, { version = "1.0.0", packageJson = {}, verl = {}, files = {} }: PackageSpec = {}): this {
    const manifest = { apiVersion: "^1.0.0", register: "./register.js", provides: ["hooks"], ...verl };
    const folder = `node_modules/${name}`;
    const entries = Object.entries({ "register.js": registers(name), ...files });
    return this.write({
      [`${folder}/package.json`]: {
        name,
        version,
        type: "module",
        verl: verl === null ? undefined : manifest,
        ...packageJson,
      },
      ...Object.fromEntries(entries.map(([file, content]) => [`${folder}/${file}`, content])),
    });
  }

  removeFolder(name: string): this {
    fs.rmSync(this.path(name), { recursive: true });
    return this;
  }

  path(...parts: string[]): string {
    return path.join(this.dir, ...parts);
  }

  remove(): void {
    fs.rmSync(this.dir, { recursive: true, force: true });
  }
}

export interface PackageSpec {
  readonly version?: string;
  /** Fields of package.json that replace the usual ones. */
  readonly packageJson?: object;
  /** Fields of the manifest that replace the usual ones; null: no manifest. */
  readonly verl?: object | null;
  readonly files?: Files;
}

/** A module whose `register` adds one hook set under `name`. */
export function registers(name: string, before = ""): string {
  return `export async function register(host) { ${before}\n host.hooks.register({ name: ${JSON.stringify(name)}, onStepEnd() {} }); }\n`;
}
