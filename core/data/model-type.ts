import { readFile } from "node:fs/promises";
import path from "node:path";

/** `model_type` of a Hugging Face folder; null elsewhere. */
export async function modelTypeOf(model: string): Promise<string | null> {
  try {
    const config = JSON.parse(await readFile(path.join(model, "config.json"), "utf8")) as Record<string, unknown>;
    return typeof config.model_type === "string" ? config.model_type : null;
  } catch {
    return null;
  }
}
