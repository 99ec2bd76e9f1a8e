import type { HubReference } from "../../config/index.js";
import { formatErrors } from "../errors.js";
import type { HubFile } from "./hub-client.js";

/** Configuration, tokenizer and template. */
const TEXTS = /\.(json|jinja|txt|model)$/;
const WEIGHTS = /^model(-\d+-of-\d+)?\.safetensors$/;
const GGUF_PART = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/;

/** The files of a repository that a model is read from: no copies of the weights in other formats, no folders. */
export function modelFiles({ repo, file }: HubReference, files: readonly HubFile[]): HubFile[] {
  const named = new Map(files.map((entry) => [entry.name, entry]));
  if (file !== null) {
    return partsOf(file).map((part) => {
      const found = named.get(part);
      if (found) return found;
      throw noModel(`${repo} has no ${part}`, `it has ${list(files, /\.gguf$/) || "no GGUF files"}`);
    });
  }
  if (!named.has("config.json")) {
    const others = list(files, /\.gguf$/);
    throw others
      ? noModel(`${repo} has GGUF files`, `name one of them: ${repo}/FILE, where FILE is ${others}`)
      : noModel(`${repo} has no config.json`, "this is not a model that can be read here");
  }
  const weights = files.filter(({ name }) => WEIGHTS.test(name));
  const chosen = weights.length > 0 ? weights : files.filter(({ name }) => name.endsWith(".safetensors"));
  if (chosen.length === 0) {
    const others = list(files, /\.(bin|pt|pth|h5|msgpack|gguf)$/);
    throw noModel(`${repo} has no safetensors weights`, others && `those in ${others} are not read`);
  }
  return [...files.filter(({ name }) => TEXTS.test(name)), ...chosen];
}

/** The files that a GGUF model is made of. */
export function partsOf(file: string): string[] {
  const [, stem, , count] = GGUF_PART.exec(file) ?? [];
  if (count === undefined) return [file];
  return Array.from({ length: Number(count) }, (_, i) => `${stem}-${String(i + 1).padStart(5, "0")}-of-${count}.gguf`);
}

function list(files: readonly HubFile[], pattern: RegExp): string {
  const names = files.map(({ name }) => name).filter((name) => pattern.test(name));
  return names.length > 8 ? `${names.slice(0, 8).join(", ")}, …` : names.join(", ");
}

function noModel(what: string, why: string): Error {
  return formatErrors.VERL_FORMATS_NOT_A_MODEL({ what, why });
}
