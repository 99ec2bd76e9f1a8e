import path from "node:path";
import { readRegularText } from "../host/util/regular-file.js";

/** `model_type` of a Hugging Face folder; null elsewhere. */
export async function modelTypeOf(model: string): Promise<string | null> {
  try {
    const config = JSON.parse(await readRegularText(path.join(model, "config.json"))) as Record<string, unknown>;
    return typeof config.model_type === "string" ? config.model_type : null;
  } catch {
    return null;
  }
}
