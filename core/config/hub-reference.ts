/** A model on the Hugging Face Hub: `owner/name`, with `@revision` if it is not to be the latest, or a GGUF file in it. */
export interface HubReference {
  /** `owner/name` */
  readonly repo: string;
  /** Branch, tag or commit. */
  readonly revision: string;
  /** Name of a GGUF file; null for the model's folder. */
  readonly file: string | null;
}

const REFERENCE = /^([A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*?)(?:@([A-Za-z0-9][\w.-]*))?(?:\/([\w.-]+\.gguf))?$/;

/** Null for a text that can only be a path. A folder of the same name goes first; that is for the caller to see. */
export function parseHubReference(text: string): HubReference | null {
  const match = REFERENCE.exec(text);
  return match && { repo: match[1], revision: match[2] ?? "main", file: match[3] ?? null };
}
