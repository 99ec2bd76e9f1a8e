import type { HubReference } from "../../config/index.js";
import { isVerlError, reasonOf } from "../../host/errors.js";
import { lineLogger } from "../../host/logger.js";
import type { DiagnoseOptions, Diagnosis } from "../../host/types.js";
import { reach } from "../../host/util/reach.js";
import { type HubSettings, hubSettings } from "./hub-settings.js";
import { hubSnapshot } from "./hub-snapshot.js";

const COMMIT = /^[0-9a-f]{40}$/;

/** Whether a model of the Hub can be had: from the cache, or from the endpoint. Downloads nothing. */
export async function diagnoseHubModel(
  reference: HubReference,
  { env, timeoutMs }: Pick<DiagnoseOptions, "env" | "timeoutMs">,
): Promise<Diagnosis> {
  const { repo, revision } = reference;
  const name = `Hub model ${repo}`;
  let settings: HubSettings;
  try {
    settings = await hubSettings(env);
  } catch (error) {
    const detail = isVerlError(error) ? error.what : reasonOf(error);
    return { name, status: "failed", detail, fix: "correct HF_ENDPOINT" };
  }
  const offline = { env: { ...env, HF_HUB_OFFLINE: "1" }, logger: lineLogger(() => {}) };
  const isCached = await hubSnapshot(reference, offline).then(
    () => true,
    () => false,
  );
  // A run asks for nothing then.
  if (isCached && (settings.isOffline || COMMIT.test(revision))) {
    return { name, status: "ok", detail: "in the cache" };
  }
  if (settings.isOffline) {
    const fix = "unset HF_HUB_OFFLINE for the first run, or name a folder";
    return { name, status: "failed", detail: "not in the cache, and HF_HUB_OFFLINE is set", fix };
  }
  return asked(name, reference, settings, { isCached, timeoutMs });
}

async function asked(
  name: string,
  { repo, revision }: HubReference,
  { endpoint, token }: HubSettings,
  { isCached, timeoutMs }: { readonly isCached: boolean; readonly timeoutMs: number },
): Promise<Diagnosis> {
  const { host } = new URL(endpoint);
  const headers: Record<string, string> = {
    "user-agent": "verl-ts",
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  const url = `${endpoint}/api/models/${repo}/revision/${encodeURIComponent(revision)}`;
  const answer = await reach(url, { headers, timeoutMs });
  // What the cache has is used where the Hub does not answer.
  const fallback = isCached
    ? ({ status: "warning", note: "; the cache is used" } as const)
    : ({ status: "failed", note: "" } as const);
  if (!answer.answered) {
    const fix =
      "see that this machine has a network, or set HF_ENDPOINT to a mirror; HF_HUB_OFFLINE=1 uses the cache alone";
    return { name, status: fallback.status, detail: `${host}: ${answer.why}${fallback.note}`, fix };
  }
  const { status, skewMs } = answer;
  const clock = skewMs === undefined ? {} : { skewMs };
  if (status < 400) {
    const where = isCached ? `in the cache, and at ${host}` : `at ${host}; it is downloaded when a run starts`;
    return { name, status: "ok", detail: where, ...clock };
  }
  const sent = token === null ? "no token was sent" : "a token was sent";
  if (status === 401 || status === 403 || status === 404) {
    const detail = `${host} has no model and revision of that name that may be read (${status}; ${sent})`;
    const fix = "correct the name, or set HF_TOKEN to a token that may read it";
    return { name, status: "failed", detail, fix, ...clock };
  }
  const detail = `${host} answers with ${status}${fallback.note}`;
  return { name, status: fallback.status, detail, fix: "try again later, or set HF_ENDPOINT to a mirror", ...clock };
}
