import { readFileSync } from "node:fs";
import type { Installation } from "./blocked-stack.js";

/** Packages of ours that have no entry in our package.json. */
const INDIRECT = ["onnxruntime-common"];

/** This installation, as the thread that watches sees it. */
export function thisInstallation(): Installation {
  const root = new URL("../../../", import.meta.url).href;
  const dependencies = new Set(INDIRECT);
  try {
    const text = readFileSync(new URL("../package.json", root), "utf8");
    const found = JSON.parse(text) as Record<string, object | undefined>;
    for (const kind of ["dependencies", "optionalDependencies"]) {
      for (const name of Object.keys(found[kind] ?? {})) dependencies.add(name);
    }
  } catch {
    // Code of packages that we brought counts as somebody's then.
  }
  return { root, dependencies };
}
