import { reasonOf } from "../../../core/plugin.js";

interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Why a server's answer was of no use, in one sentence: the SDK lists everything that is wrong with a message. */
export function shortReason(error: unknown): string {
  const { issues } = error as { readonly issues?: unknown };
  if (!Array.isArray(issues) || issues.length === 0) return reasonOf(error);
  const [{ path, message }] = issues as readonly Issue[];
  const at = path.length > 0 ? `${path.join(".")}: ` : "";
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return `its answer is no MCP message of this kind: ${at}${message}${more}`;
}
