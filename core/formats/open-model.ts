import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseHubReference } from "../config/index.js";
import { reasonOf } from "../host/errors.js";
import { requireRegularFile } from "../host/util/regular-file.js";
import { formatErrors } from "./errors.js";
import { openGguf } from "./gguf/gguf-source.js";
import { openHfFolder } from "./hf-source.js";
import type { ModelSource, OpenModelOptions } from "./model.js";

/** Open a model for reading: a Hugging Face folder or a GGUF file, told apart by what is there, not by the name. */
export async function openModel(path: string, options: OpenModelOptions = {}): Promise<ModelSource> {
  let isFolder: boolean;
  try {
    isFolder = (await stat(path)).isDirectory();
  } catch (cause) {
    throw formatErrors.VERL_FORMATS_NOT_A_MODEL({
      what: `there is no model at ${path}`,
      where: path,
      why: reasonOf(cause),
      ...(parseHubReference(path) ? { fix: HUB_FIX } : {}),
      cause,
    });
  }
  if (isFolder) {
    const hasConfig = await stat(join(path, "config.json")).catch(() => null);
    if (hasConfig) return openHfFolder(path, options);
    throw formatErrors.VERL_FORMATS_NOT_A_MODEL({ what: `the folder ${path} has no config.json`, where: path });
  }
  if (await startsWithGguf(path)) return openGguf(path, options);
  throw formatErrors.VERL_FORMATS_NOT_A_MODEL({ what: `${path} is a file, but not GGUF`, where: path });
}

const HUB_FIX =
  "name it in actor_rollout_ref.model.path, and a run downloads it from the Hugging Face Hub; in code, call hubSnapshot first";

async function startsWithGguf(path: string): Promise<boolean> {
  try {
    await requireRegularFile(path);
  } catch (cause) {
    throw formatErrors.VERL_FORMATS_NOT_A_MODEL({ what: reasonOf(cause), where: path, cause });
  }
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.toString("latin1") === "GGUF";
  } finally {
    await file.close();
  }
}
