import { writeFileAtomically } from "../formats/atomic-file.js";
import { reasonOf } from "../host/errors.js";
import { trackingErrors } from "./errors.js";

/** A file that holds this content, or what it held before: also after a kill, and on a full disk, where nothing stays beside it. */
export const replaceFile = (file: string, content: string | Uint8Array): Promise<void> =>
  writeFileAtomically(file, (handle) => handle.writeFile(content));

/** Does what writes a file of a run; what goes wrong (a full disk, a lost folder) is a coded error that names the file. */
export async function written<T>(file: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    throw trackingErrors.VERL_TRACKING_WRITE({
      what: "a file of the run cannot be written",
      where: file,
      why: reasonOf(cause),
      cause,
    });
  }
}
