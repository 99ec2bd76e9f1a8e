import { MEDIA_KINDS, mediaKindOf } from "../../data/index.js";
import { isVerlError } from "../../host/errors.js";
import { agentErrors } from "../errors.js";
import type { LoopMedia } from "../loop-media.js";
import type { ToolResult } from "./tool.js";

/**
 * A result with its media taken in. What is no medium, or one that cannot be used, is the tool's failure: an error without code. A
 * kind that the model does not understand is a mistake of the run.
 *
 * @throws VERL_AGENT_MEDIA
 */
export async function takeResult(tool: string, result: ToolResult, media: LoopMedia): Promise<ToolResult> {
  const { media: parts = [] } = result;
  if (parts.length === 0) return result;
  for (const part of parts) {
    const kind = mediaKindOf(part);
    if (kind === null) {
      throw new Error(
        `its media hold a part of the type ${JSON.stringify(part.type)}, none of ${MEDIA_KINDS.join(", ")}`,
      );
    }
    if (media.kinds.includes(kind)) continue;
    throw agentErrors.VERL_AGENT_MEDIA({
      what: `the tool "${tool}" returned a part of the kind ${kind}`,
      why:
        media.kinds.length > 0 ? `the model understands ${media.kinds.join(", ")}` : "the model understands text alone",
    });
  }
  try {
    const [{ content }] = await media.take([{ role: "tool", content: parts }]);
    return { ...result, media: content as typeof parts };
  } catch (error) {
    if (isVerlError(error) && error.code === "VERL_DATA_MEDIA") throw new Error(error.what);
    throw error;
  }
}
