import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { fileURLToPath } from "node:url";
import { definePlugin, HOOK_NAMES } from "../../../../core/plugin.js";

const die = () => process.kill(process.pid, "SIGKILL");

/**
 * Kills its process with SIGKILL at the moment that `TOY_KILL_AT` counts: calls that change files, and hooks, from the start
 * of the run on. A write that it falls on is cut in half.
 */
export const killingPlugin = definePlugin({
  name: "toy-killer",
  apiVersion: "^1.0.0",
  provides: ["hooks"],
  async register(host) {
    const at = Number(process.env.TOY_KILL_AT ?? Number.POSITIVE_INFINITY);
    let count = 0;
    const counted = () => ++count === at;
    const files = fs.promises as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    for (const name of ["mkdir", "rename", "rm", "open"]) {
      const original = files[name];
      files[name] = async (...args) => {
        if (counted()) die();
        return original.apply(fs.promises, args);
      };
    }
    const own = await fs.promises.open(fileURLToPath(import.meta.url));
    const handles = Object.getPrototypeOf(own) as typeof files;
    await own.close();
    for (const holder of [files, handles]) {
      for (const name of ["writeFile", "appendFile", "write"]) {
        const original = holder[name];
        if (!original) continue;
        holder[name] = async function (this: unknown, ...args: unknown[]) {
          if (!counted()) return original.apply(this, args);
          const data = holder === handles ? 0 : 1;
          const half = args[data] as { readonly length: number; slice(from: number, to: number): unknown };
          args[data] = half.slice(0, Math.floor(half.length / 2));
          await original.apply(this, name === "write" ? args.slice(0, 1) : args);
          return die();
        };
      }
    }
    syncBuiltinESMExports();
    const hook = { pre: () => void (counted() && die()), post: () => void (counted() && die()) };
    host.hooks.register({ name: "toy-killer", ...Object.fromEntries(HOOK_NAMES.map((name) => [name, hook])) });
  },
});
