import type { CallOptions, JsonValue } from "../../host/types.js";
import { parseOutsideJson } from "../../host/util/outside-json.js";
import { rewardErrors } from "../errors.js";
import type { Server } from "./server.js";
import type { ServerClient } from "./server-client.js";

/** Longest time that a server may take to say what it serves. */
const PATIENCE_MS = 10_000;

/**
 * Before the start: every server answers `GET /v1/models`, and those that list models have this one. A server without that
 * list (404) counts as there. Throws `VERL_REWARD_SERVER_UNREACHABLE` with the address, or what the server said.
 */
export async function checkServers(client: ServerClient, model: string, { signal }: CallOptions = {}): Promise<void> {
  await Promise.all(client.servers.map((server) => checkServer(client, server, model, signal)));
}

async function checkServer(client: ServerClient, server: Server, model: string, signal?: AbortSignal): Promise<void> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const limit = signal ? AbortSignal.any([signal, patience]) : patience;
  let listed: readonly string[];
  try {
    listed = modelsOf(await client.ask(server, "GET", "/v1/models", { signal: limit }));
  } catch (error) {
    signal?.throwIfAborted();
    if (patience.aborted) {
      throw rewardErrors.VERL_REWARD_SERVER_UNREACHABLE({
        what: `no answer from ${server.host} within ${PATIENCE_MS / 1000} s`,
      });
    }
    if ((error as { data?: { status?: unknown } }).data?.status === 404) return;
    throw error;
  }
  if (listed.length === 0 || listed.includes(model)) return;
  throw rewardErrors.VERL_REWARD_SERVER_FAILED({
    what: `${server.host} does not serve the model ${model}`,
    why: `it serves ${listed.slice(0, 10).join(", ")}`,
    fix: "correct reward.reward_model.model_name or the address",
  });
}

/** The models of an answer that is still text; null where it is no JSON. */
export function modelsListed(text: string): string[] | null {
  try {
    return modelsOf(parseOutsideJson(text));
  } catch {
    return null;
  }
}

function modelsOf(answer: JsonValue): string[] {
  const { data } = (answer ?? {}) as { data?: JsonValue };
  if (!Array.isArray(data)) return [];
  return data.flatMap((entry) => {
    const { id } = (entry ?? {}) as { id?: JsonValue };
    return typeof id === "string" ? [id] : [];
  });
}
