import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Machine, openMachine } from "../../../core/platform/index.js";

export interface MachineParts {
  /** Files by absolute path; null makes a folder. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** Shell scripts by the name of the tool that they stand for; they lie in `/usr/bin`. */
  readonly tools?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly os?: NodeJS.Platform;
}

/** Machines made of a folder that stands for `/`, removed by `clean`. */
export class MachineFolders {
  private readonly folders: string[] = [];

  make({ files = {}, tools = {}, env = {}, os: system = "linux" }: MachineParts = {}): Machine {
    const root = mkdtempSync(path.join(os.tmpdir(), "verl-machine-"));
    this.folders.push(root);
    for (const [file, text] of Object.entries(files)) {
      const at = path.join(root, file);
      mkdirSync(text === null ? at : path.dirname(at), { recursive: true });
      if (text !== null) writeFileSync(at, text);
    }
    for (const [name, script] of Object.entries(tools)) {
      const at = path.join(root, "usr/bin", name);
      mkdirSync(path.dirname(at), { recursive: true });
      writeFileSync(at, `#!/bin/sh\n${script}\n`);
      chmodSync(at, 0o755);
    }
    return openMachine({ root, env, os: system });
  }

  clean(): void {
    for (const folder of this.folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  }
}

/** Files of a chip on the PCI bus. */
export function pciFiles(address: string, vendor: string, device: string, kind: string): Record<string, string> {
  const folder = `/sys/bus/pci/devices/${address}`;
  return {
    [`${folder}/vendor`]: `${vendor}\n`,
    [`${folder}/device`]: `${device}\n`,
    [`${folder}/class`]: `${kind}\n`,
  };
}
