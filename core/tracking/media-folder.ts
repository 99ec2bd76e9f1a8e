import path from "node:path";
import type { MediaRef } from "../data/index.js";

/** Beside files of trajectories: a file for every medium that they name. */
const FOLDER = "media";

/** The folder for what the trajectories of a folder's files show. */
export const mediaFolder = (folder: string): string => path.join(folder, FOLDER);

/** Name of a medium's file in it: by content, so that equal media are there once. */
export const mediaFileName = ({ id, mimeType }: Pick<MediaRef, "id" | "mimeType">): string =>
  `${id}.${mimeType.slice(mimeType.indexOf("/") + 1).replaceAll(/[^a-z0-9]/g, "")}`;
