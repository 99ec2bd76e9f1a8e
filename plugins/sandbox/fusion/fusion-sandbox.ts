import { pause, redirectOf, shown, skewOf } from "../../../core/host/index.js";
import {
  composeSandbox,
  isVerlError,
  type Program,
  reasonOf,
  responseText,
  type SandboxFactory,
  type SandboxResult,
  sandboxErrors,
  type VerlError,
} from "../../../core/plugin.js";
import { ENDLESS_OUTPUT, fusionRequest, fusionResult, longestAnswer, readFusionAnswer } from "./protocol.js";

const NAME = "sandbox_fusion";
const LANGUAGES = ["python", "javascript", "bash", "typescript", "cpp", "go", "java", "rust"];
/** What network and queue may take beside compiling and running, in ms. */
const PATIENCE_MS = 10_000;
const GATEWAY_TIMEOUT = 504;
/** Bytes of a refusal that are read for its reason. */
const LONGEST_REFUSAL = 2 ** 16;
/** Before each further try after a gateway's timeout, in ms. */
const WAITS = [1000, 2000];

/**
 * A SandboxFusion service (github.com/bytedance/SandboxFusion) at `extra.url`. Isolating and ending programs is its
 * business: after an abort a program may run on there until its time is over.
 */
export const fusionSandbox = fusionSandboxFactory(WAITS);

/** `waits` are the pauses before further tries, in ms. */
export function fusionSandboxFactory(waits: readonly number[]): SandboxFactory {
  return {
    name: NAME,
    mechanism: "whatever the SandboxFusion service isolates with",
    async probe({ extra } = { extra: {} }) {
      if (typeof extra.url !== "string") return { available: false, reason: "reward.sandbox_fusion.url is not set" };
      let skewMs: number | null = null;
      const problem = await findProblem(extra.url, waits, (skew) => {
        skewMs = skew;
      });
      if (problem === null) {
        return { available: true, languages: LANGUAGES, ...(skewMs === null ? {} : { skewMs }) };
      }
      return { available: false, reason: [problem.what, problem.why].filter(Boolean).join(": ") };
    },
    async create(options) {
      const url = String(options.extra.url ?? "");
      const problem = await findProblem(url, waits);
      if (problem !== null) {
        const { what, why } = problem;
        const fix = "start the service, or correct reward.sandbox_fusion.url";
        throw sandboxErrors.VERL_SANDBOX_UNAVAILABLE({ what, why, fix, cause: problem });
      }
      const endpoint = readEndpoint(url, waits);
      const execute = (program: Program, signal: AbortSignal) => runThere(endpoint, program, signal);
      return composeSandbox({ name: NAME, languages: LANGUAGES, execute }, options);
    },
  };
}

/** Where to send programs. Credentials of an address go into a header: they belong into no message. */
interface Endpoint {
  readonly address: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly waits: readonly number[];
  /** Told of the service's clock with each answer. */
  readonly onClock?: (skewMs: number | null) => void;
}

function readEndpoint(url: string, waits: readonly number[]): Endpoint {
  const headers = { "content-type": "application/json", accept: "application/json" };
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw sandboxErrors.VERL_SANDBOX_BAD_OPTION({
      what: "reward.sandbox_fusion.url is no HTTP address",
      fix: "give it the form http://HOST:PORT/run_code",
    });
  }
  const address = new URL(url);
  const { username, password } = address;
  if (username === "" && password === "") return { address, headers, waits };
  address.username = address.password = "";
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return { address, headers: { ...headers, authorization: `Basic ${credentials.toString("base64")}` }, waits };
}

/** Runs nothing there; the error if that fails. */
async function findProblem(
  url: string,
  waits: readonly number[],
  onClock?: Endpoint["onClock"],
): Promise<VerlError | null> {
  const limits = { wallMs: 10_000, cpuMs: 10_000, memoryMiB: 256, processes: 8, filesMiB: 1, outputBytes: 1024 };
  const nothing = {
    language: "python",
    code: "",
    files: new Map(),
    argv: [],
    stdin: Buffer.alloc(0),
    limits,
    collect: [],
  };
  try {
    await runThere({ ...readEndpoint(url, waits), onClock }, nothing, new AbortController().signal);
    return null;
  } catch (error) {
    if (isVerlError(error)) return error;
    throw error;
  }
}

async function runThere(endpoint: Endpoint, program: Program, signal: AbortSignal): Promise<SandboxResult> {
  const body = JSON.stringify(fusionRequest(program));
  const response = await post(endpoint, body, 2 * program.limits.wallMs + PATIENCE_MS, signal);
  try {
    const text = await responseText(response, longestAnswer(program.limits));
    if (text === null) return ENDLESS_OUTPUT;
    const answer = readFusionAnswer(text);
    const result = fusionResult(answer, program);
    if (result) return result;
    throw broken(
      endpoint,
      `answered with the status ${answer.status ?? "(none)"}`,
      answer.message ?? `the answer is ${shown(text)}`,
    );
  } catch (error) {
    signal.throwIfAborted();
    if (isVerlError(error)) throw error;
    throw broken(endpoint, "gave an answer that cannot be read", reasonOf(error));
  }
}

/** Only a gateway that did not wait long enough is asked again. */
async function post(
  { address, headers, waits, onClock }: Endpoint,
  body: string,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
    let response: Response;
    const sentAt = Date.now();
    try {
      response = await fetch(address, { method: "POST", headers, body, signal: limit, redirect: "manual" });
    } catch (error) {
      signal.throwIfAborted();
      const { cause } = error as { cause?: unknown };
      throw broken({ address }, "cannot be reached", reasonOf(cause ?? error));
    }
    onClock?.(skewOf(response.headers, sentAt, Date.now()));
    if (response.ok) return response;
    if (response.status !== GATEWAY_TIMEOUT || attempt >= waits.length)
      throw await refusal({ address, headers }, response);
    await response.body?.cancel();
    await pause(waits[attempt], signal);
  }
}

/** What a service said that did not run the program, without the credentials that it was sent. */
async function refusal(
  { address, headers }: Pick<Endpoint, "address" | "headers">,
  response: Response,
): Promise<VerlError> {
  const target = redirectOf(response);
  const status = `answered ${response.status} ${response.statusText}`.trimEnd();
  if (target !== null) {
    await response.body?.cancel();
    return broken({ address }, `${status}, a redirect to ${target}`, "redirects are not followed");
  }
  const text = (await responseText(response, LONGEST_REFUSAL).catch(() => null)) ?? "";
  const { authorization = "" } = headers;
  const told = authorization === "" ? text : text.replaceAll(authorization.split(" ")[1], "***");
  return broken({ address }, status, told === "" ? undefined : shown(told));
}

function broken({ address }: Pick<Endpoint, "address">, what: string, why?: string): VerlError {
  return sandboxErrors.VERL_SANDBOX_FAILED({
    what: `the SandboxFusion service at ${address.host} ${what}`,
    why: why || undefined,
    fix: "see the service's log; reward.on_error says what happens to the trajectory",
  });
}
