import { failedFinding } from "../../host/diagnosis.js";
import type { DiagnoseOptions, Diagnosis } from "../../host/types.js";
import { reach } from "../../host/util/reach.js";
import { modelsListed } from "./check-servers.js";
import { readServer, type Server, secretOf } from "./server.js";

export interface NamedServers {
  readonly addresses: readonly string[];
  /** Name of the model on the servers; null: nobody says. */
  readonly model: string | null;
  readonly apiKeyEnv: string | null;
}

const WHERE = "reward.reward_model";

/** Whether each server of a reward model or judge answers `GET /v1/models`, and serves the model. */
export async function diagnoseServers(named: NamedServers, options: DiagnoseOptions): Promise<Diagnosis[]> {
  let key: string | null;
  try {
    key = secretOf(named.apiKeyEnv, options.env, `${WHERE}.api_key_env`);
  } catch (error) {
    return [failedFinding("reward servers", error)];
  }
  return Promise.all(named.addresses.map((address) => diagnoseServer(address, named, key, options)));
}

async function diagnoseServer(
  address: string,
  { model }: NamedServers,
  key: string | null,
  { timeoutMs }: DiagnoseOptions,
): Promise<Diagnosis> {
  let server: Server;
  try {
    server = readServer(address, `${WHERE}.addresses`);
  } catch (error) {
    return failedFinding("reward server", error);
  }
  const name = `reward server ${server.host}`;
  const failed = (detail: string, fix: string): Diagnosis => ({ name, status: "failed", detail, fix });
  const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const headers = { accept: "application/json", ...authorization, ...server.headers };
  const answer = await reach(`${server.base}/v1/models`, { headers, timeoutMs, readsText: true });
  if (!answer.answered) return failed(answer.why, `start the server, or correct ${WHERE}.addresses`);
  const { status, text, skewMs } = answer;
  const clock = skewMs === undefined ? {} : { skewMs };
  if (status === 401 || status === 403) {
    const sent = key === null ? "no key was sent" : "a key was sent";
    const fix = `name the variable of the environment with its key in ${WHERE}.api_key_env`;
    return { ...failed(`refuses with ${status}; ${sent}`, fix), ...clock };
  }
  // A server of one model need not list it.
  if (status === 404) return { name, status: "ok", detail: "answers, and lists no models", ...clock };
  if (status >= 300) {
    return { ...failed(`answers GET /v1/models with ${status}`, "see the server's log"), ...clock };
  }
  const models = modelsListed(text ?? "");
  if (models === null) {
    return {
      ...failed("its list of models is no JSON", `see that ${WHERE}.addresses names an inference server`),
      ...clock,
    };
  }
  if (model !== null && models.length > 0 && !models.includes(model)) {
    const fix = `set ${WHERE}.model_name to one of these, or correct the address`;
    return { ...failed(`does not serve ${model}; it serves ${models.slice(0, 10).join(", ")}`, fix), ...clock };
  }
  return { name, status: "ok", detail: model === null ? "answers" : `serves ${model}`, ...clock };
}
