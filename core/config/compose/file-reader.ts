import { isUtf8 } from "node:buffer";
import fs from "node:fs/promises";
import path from "node:path";
import { reasonOf } from "../../host/errors.js";
import { nearestName } from "../../host/util/nearest.js";
import { readRegularFile } from "../../host/util/regular-file.js";
import { configErrors } from "../errors.js";
import { unsetDefaults } from "../saved-config.js";
import { type Dict, dict, merge, sourceText } from "./tree.js";
import { parseYaml } from "./yaml.js";

/** Reads files with their `defaults` lists: names of files to build on, `_self_` for the place of the file itself. */
export class FileReader {
  readonly files: string[] = [];
  readonly #open: string[] = [];

  async read(file: string): Promise<Dict> {
    if (this.#open.includes(file)) {
      throw configErrors.VERL_CONFIG_FILE({
        what: `Configuration files build on each other in a circle: ${[...this.#open, file].join(" -> ")}.`,
        where: file,
        fix: "Remove one of the entries from a `defaults` list.",
      });
    }
    this.#open.push(file);
    const text = await load(file);
    const own = unsetDefaults(parseYaml(text, file), text);
    const list = own.entries.get("defaults");
    own.entries.delete("defaults");

    let result = dict(own.source);
    let placed = false;
    for (const item of list?.kind === "list" ? list.items : list ? [list] : []) {
      if (item.kind !== "scalar" || typeof item.value !== "string") {
        throw configErrors.VERL_CONFIG_SYNTAX({
          what: "`defaults` must be a list of file names; group overrides are not supported.",
          where: sourceText(item.source),
        });
      }
      if (item.value === "_self_") {
        result = merge(result, own) as Dict;
        placed = true;
      } else if (!VERL_DEFAULTS.has(item.value)) {
        const name = /\.ya?ml$/.test(item.value) ? item.value : `${item.value}.yaml`;
        result = merge(result, await this.read(path.resolve(path.dirname(file), name))) as Dict;
      }
    }
    this.#open.pop();
    this.files.push(file);
    return placed ? result : (merge(result, own) as Dict);
  }
}

/** Names of verl's own default files: the built-in defaults take their place. */
const VERL_DEFAULTS = new Set(["ppo_trainer", "ppo_megatron_trainer"]);

async function load(file: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readRegularFile(file);
  } catch (error) {
    const beside = (error as NodeJS.ErrnoException).code === "ENOENT" ? await nearestBeside(file) : null;
    throw configErrors.VERL_CONFIG_FILE({
      what: `The configuration file ${file} cannot be read.${beside === null ? "" : ` Did you mean ${beside}?`}`,
      where: file,
      why: reasonOf(error),
      cause: error,
    });
  }
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw configErrors.VERL_CONFIG_SYNTAX({
    what: "The file is no text in UTF-8.",
    where: file,
    fix: "Save it as UTF-8; Windows PowerShell's > writes UTF-16.",
  });
}

/** The YAML file in the same folder that may be meant. */
async function nearestBeside(file: string): Promise<string | null> {
  const stem = (name: string) => path.basename(name).replace(YAML, "");
  const names = (await fs.readdir(path.dirname(file)).catch(() => [])).filter((name) => YAML.test(name));
  const nearest = nearestName(stem(file), names.map(stem));
  return names.find((name) => stem(name) === nearest) ?? null;
}

const YAML = /\.ya?ml$/i;
