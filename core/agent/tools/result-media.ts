import { MEDIA_KINDS, mediaKindOf } from "../../data/index.js";
import type { ChatContentPart } from "../../data/tokenizer.js";
import { isVerlError } from "../../host/errors.js";
import { shown } from "../../host/util/shown.js";
import { agentErrors } from "../errors.js";
import type { LoopMedia } from "../loops/loop-media.js";

/** What may show media: a tool's result, a simulated user's turn. */
interface Showing {
  readonly media?: readonly ChatContentPart[];
}

/**
 * A result with its media taken in. What is no medium, or one that cannot be used, is the failure of whoever returned it (`who`): an
 * error without code. A kind that the model does not understand is a mistake of the run.
 *
 * @throws VERL_AGENT_MEDIA
 */
export async function takeMediaOf<R extends Showing>(who: string, result: R, media: LoopMedia): Promise<R> {
  const { media: parts } = result;
  if (parts == null) return result;
  if (!Array.isArray(parts)) throw new Error(`its media are ${shown(parts)}, not a list of parts`);
  if (parts.length === 0) return result;
  for (const part of parts as readonly ChatContentPart[]) {
    if (typeof part !== "object" || part === null)
      throw new Error(`its media hold ${shown(part)}, not a part {type, …}`);
    const kind = mediaKindOf(part);
    if (kind === null) {
      throw new Error(
        `its media hold a part of the type ${JSON.stringify(part.type)}, none of ${MEDIA_KINDS.join(", ")}`,
      );
    }
    if (media.kinds.includes(kind)) continue;
    throw agentErrors.VERL_AGENT_MEDIA({
      what: `${who} returned a part of the kind ${kind}`,
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
