import { readFile, rename, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { z } from "zod";
import type { HubReference } from "../../config/index.js";
import { isVerlError, reasonOf } from "../../host/errors.js";
import type { Logger } from "../../host/types.js";
import { makeFolder } from "../../host/util/make-folder.js";
import { parseOutsideJson } from "../../host/util/outside-json.js";
import { writeFileAtomically } from "../atomic-file.js";
import { formatErrors } from "../errors.js";
import { type DownloadOptions, downloadFile, exists } from "./download-file.js";
import { HubClient, type HubFile, type HubRevision } from "./hub-client.js";
import { type Environment, hubSettings } from "./hub-settings.js";
import { modelFiles, partsOf } from "./model-files.js";

export interface HubOptions extends DownloadOptions {
  readonly env: Environment;
  readonly logger: Logger;
}

const shards = z.object({ weight_map: z.record(z.string(), z.string()) });
const COMMIT = /^[0-9a-f]{40}$/;

/**
 * The folder, or the GGUF file, of a model on the Hub. What is missing is downloaded into the cache that Python's
 * `huggingface_hub` uses, in its layout: `blobs/` by digest, `snapshots/COMMIT/` with links to them, `refs/` from branches to
 * commits.
 */
export async function hubSnapshot(reference: HubReference, options: HubOptions): Promise<string> {
  const { repo, revision } = reference;
  const settings = await hubSettings(options.env);
  const store = join(settings.cacheDir, `models--${repo.replace("/", "--")}`);
  const cached = await cachedSnapshot(store, reference);
  if (cached !== null && COMMIT.test(revision)) return cached;
  if (settings.isOffline) {
    if (cached !== null) return cached;
    throw formatErrors.VERL_FORMATS_HUB_UNREACHABLE({
      what: `${repo} is not in the cache, and HF_HUB_OFFLINE is set`,
      where: store,
      fix: "unset HF_HUB_OFFLINE for the first run, or name a folder",
    });
  }
  const client = new HubClient(settings, options.signal);
  try {
    const found = await client.revision(reference);
    await fetchSnapshot(client, store, reference, found, options);
    return snapshotPath(store, found.commit, reference);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!isVerlError(error)) throw unusableCache(store, error);
    if (cached === null || error.code !== "VERL_FORMATS_HUB_UNREACHABLE") throw error;
    options.logger.warn(`${error.what}: using what the cache has of ${repo}, which may be older`);
    return cached;
  }
}

async function fetchSnapshot(
  client: HubClient,
  store: string,
  reference: HubReference,
  { commit, files }: HubRevision,
  options: HubOptions,
): Promise<void> {
  const { repo, revision } = reference;
  const snapshot = join(store, "snapshots", commit);
  await makeFolder(snapshot);
  await makeFolder(join(store, "blobs"));
  for (const file of modelFiles(reference, files)) {
    const link = join(snapshot, file.name);
    if (await exists(link)) continue;
    const blob = join(store, "blobs", file.digest);
    if (!(await exists(blob))) {
      options.logger.info(`downloading ${file.name} of ${repo} (${sizeText(file)})`);
      await downloadFile(client, { repo, commit, file, blob }, options);
    }
    await linkTo(blob, link);
  }
  if (COMMIT.test(revision)) return;
  const ref = join(store, "refs", revision);
  await makeFolder(dirname(ref));
  await writeFileAtomically(ref, (file) => file.writeFile(commit));
}

/** Systems without links for everybody (Windows) get the file itself. */
async function linkTo(blob: string, link: string): Promise<void> {
  try {
    await symlink(relative(dirname(link), blob), link);
  } catch (error) {
    if (await exists(link)) return;
    const { code } = error as { code?: unknown };
    if (code !== "EPERM" && code !== "EACCES" && code !== "ENOSYS" && code !== "ENOTSUP") throw error;
    await rename(blob, link);
  }
}

/** What the cache has of a revision, or null where files are missing. */
async function cachedSnapshot(store: string, reference: HubReference): Promise<string | null> {
  const { revision, file } = reference;
  const commit = COMMIT.test(revision)
    ? revision
    : (await readFile(join(store, "refs", revision), "utf8").catch(() => "")).trim();
  if (!COMMIT.test(commit)) return null;
  const folder = join(store, "snapshots", commit);
  const wanted = file === null ? await weightsOf(folder) : partsOf(file);
  for (const name of wanted ?? [""]) if (name === "" || !(await exists(join(folder, name)))) return null;
  return snapshotPath(store, commit, reference);
}

/** Files without which a folder is no model, or null. */
async function weightsOf(folder: string): Promise<string[] | null> {
  const index = await readFile(join(folder, "model.safetensors.index.json"), "utf8").catch(() => null);
  if (index === null) return ["config.json", "model.safetensors"];
  try {
    const { data } = shards.safeParse(parseOutsideJson(index));
    return data ? ["config.json", ...new Set(Object.values(data.weight_map))] : null;
  } catch {
    return null;
  }
}

function unusableCache(store: string, cause: unknown): Error {
  return formatErrors.VERL_FORMATS_HUB_CACHE({
    what: "the cache of the Hugging Face Hub could not be written",
    where: store,
    why: reasonOf(cause),
    cause,
  });
}

function snapshotPath(store: string, commit: string, { file }: HubReference): string {
  return join(store, "snapshots", commit, file ?? "");
}

function sizeText({ size }: HubFile): string {
  return size < 1e6 ? `${Math.ceil(size / 1e3)} kB` : `${(size / 1e6).toFixed(0)} MB`;
}
