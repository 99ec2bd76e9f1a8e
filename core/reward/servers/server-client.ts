import { callerPlace } from "../../host/error-place.js";
import { isVerlError, reasonOf, type VerlError } from "../../host/errors.js";
import type { CallOptions, JsonValue } from "../../host/types.js";
import { parseOutsideJson } from "../../host/util/outside-json.js";
import { pause } from "../../host/util/pause.js";
import { redirectOf } from "../../host/util/redirect.js";
import { responseText } from "../../host/util/response-text.js";
import { Semaphore } from "../../host/util/semaphore.js";
import { shown } from "../../host/util/shown.js";
import { DeadlineExceeded } from "../deadline.js";
import { rewardErrors } from "../errors.js";
import { readServer, type Server, secretOf, serverFor } from "./server.js";

export interface ServerOptions {
  /** Requests go to the one with the fewest under way. */
  readonly addresses: readonly string[];
  /** Name of the variable of the environment that holds the key; null (default): none is sent. */
  readonly apiKeyEnv?: string | null;
  /** Default: `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  /** Requests under way at the same time; default 64. */
  readonly maxConcurrent?: number;
  /** Attempts at one request; default 16. */
  readonly maxTries?: number;
  /** Milliseconds before attempt 2, 3, …; default 1, 2, 4, … seconds, at most 30. */
  readonly waitMs?: (attempt: number) => number;
  /** The content of a request picks its server, whatever else is under way; default false. */
  readonly fullDeterminism?: boolean;
  /** Told when a request is tried again; at most once in a minute for a server. */
  readonly warn?: (text: string) => void;
  /** For messages: where the addresses stand. */
  readonly where?: string;
}

export interface RequestOptions extends CallOptions {
  /** Told what the request waits for: a place, or a server with what it said last. */
  readonly tell?: (state: string) => void;
}

/** Speaks JSON with servers of one kind. */
export interface ServerClient {
  readonly servers: readonly Server[];
  /**
   * An attempt that finds no server, or one that is overloaded or broken (429, 5xx), is made again, on another
   * server where there is one; other refusals (4xx) are final.
   */
  request(method: "GET" | "POST", path: string, body: JsonValue | null, options?: RequestOptions): Promise<JsonValue>;
  /** One attempt at one server. */
  ask(server: Server, method: "GET" | "POST", path: string, options?: CallOptions): Promise<JsonValue>;
}

const MAX_ANSWER_BYTES = 64 * 2 ** 20;
const MAX_WAIT_MS = 30_000;
const TOO_MANY = 429;
const WARN_EVERY_MS = 60_000;

/** A failure, and whether another attempt may fare better. */
interface Failure {
  readonly error: VerlError;
  readonly isFinal: boolean;
  /** An answer began. */
  readonly isBroken?: boolean;
  /** Asked for by the server. */
  readonly waitMs?: number;
}

export function createServerClient(options: ServerOptions): ServerClient {
  const { addresses, maxTries = 16, fullDeterminism = false } = options;
  // Without a key of the configuration the options are those of code: its line, and their own names.
  const isOfCode = options.where === undefined;
  const where = options.where ?? callerPlace() ?? "addresses";
  const { waitMs = (attempt) => Math.min(1000 * 2 ** (attempt - 2), MAX_WAIT_MS) } = options;
  if (addresses.length === 0) throw rewardErrors.VERL_REWARD_BAD_SERVER({ what: "no server is named", where });
  const servers = addresses.map((address, i) => readServer(address, isOfCode ? `addresses[${i}], ${where}` : where));
  const keyFix = isOfCode ? "set the variable, or name another one in apiKeyEnv" : undefined;
  const key = secretOf(options.apiKeyEnv ?? null, options.env ?? process.env, where, keyFix);
  const slots = new Semaphore(options.maxConcurrent ?? 64);
  const warned = new Map<Server, number>();

  function tellRetry(server: Server, { error }: Failure, number: number, waitMs: number): void {
    const now = performance.now();
    if (now - (warned.get(server) ?? Number.NEGATIVE_INFINITY) < WARN_EVERY_MS) return;
    warned.set(server, now);
    const why = error.why ? `: ${error.why}` : "";
    options.warn?.(`${error.what}${why}; attempt ${number} of ${maxTries}, the next in ${waitMs / 1000} s`);
  }

  async function attempt(server: Server, init: RequestInit, path: string): Promise<JsonValue | Failure> {
    const { signal } = init;
    server.open++;
    let answered = false;
    try {
      const headers = {
        ...JSON_HEADERS,
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...server.headers,
      };
      const response = await fetch(`${server.base}${path}`, { ...init, headers, redirect: "manual" });
      answered = true;
      const text = await responseText(response, MAX_ANSWER_BYTES);
      if (text === null) return unusable(server, `its answer has more than ${MAX_ANSWER_BYTES} bytes`);
      if (!response.ok) return refusal(server, response, withoutSecret(text, key), isOfCode);
      try {
        // What an answer says of an error may stand in a message.
        return parseOutsideJson(withoutSecret(text, key));
      } catch (error) {
        return unusable(server, `its answer is no JSON: ${reasonOf(error)}`);
      }
    } catch (error) {
      signal?.throwIfAborted();
      return answered ? brokenOff(server, error) : unreachable(server, error, isOfCode);
    } finally {
      server.open--;
    }
  }

  return {
    servers,
    async request(method, path, body, { signal, tell } = {}) {
      let last = "no answer yet";
      let state = "";
      const waitFor = (next: string) => {
        state = next;
        tell?.(next);
      };
      waitFor(`${servers.map(({ host }) => host).join(", ")}: waiting for a place (max_concurrent)`);
      // Before whoever set the deadline is told: its error says what was waited for.
      const note = () => {
        if (signal?.reason instanceof DeadlineExceeded) signal.reason.waitedFor = state;
      };
      signal?.addEventListener("abort", note);
      const release = await slots.acquire(signal);
      try {
        const init = { method, signal, ...(body === null ? {} : { body: JSON.stringify(body) }) };
        const content = fullDeterminism ? Buffer.from(init.body ?? "") : null;
        const failed = new Set<Server>();
        for (let number = 1; ; number++) {
          const server = serverFor(servers, failed, content);
          waitFor(`${server.host}: ${last}`);
          const result = await attempt(server, init, path);
          if (!isFailure(result)) return result;
          if (result.isFinal || number >= maxTries) throw afterAttempts(result.error, number);
          if (failed.add(server).size === servers.length) failed.clear();
          const wait = Math.max(waitMs(number + 1), Math.min(result.waitMs ?? 0, MAX_WAIT_MS));
          last = `${result.error.data?.status ?? (result.isBroken ? "a broken answer" : "no answer")}, ${number} ${number === 1 ? "try" : "tries"}`;
          waitFor(`${server.host}: ${last}`);
          tellRetry(server, result, number, wait);
          await pause(wait, signal);
        }
      } finally {
        signal?.removeEventListener("abort", note);
        release();
      }
    },
    async ask(server, method, path, { signal } = {}) {
      const result = await attempt(server, { method, signal }, path);
      if (isFailure(result)) throw result.error;
      return result;
    },
  };
}

const JSON_HEADERS = { "content-type": "application/json", accept: "application/json" };

function isFailure(result: JsonValue | Failure): result is Failure {
  return typeof result === "object" && result !== null && "error" in result && isVerlError(result.error);
}

function unreachable({ host }: Server, error: unknown, isOfCode: boolean): Failure {
  const { cause } = error as { cause?: unknown };
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  const why = reasonOf(cause ?? error) || code;
  return {
    isFinal: false,
    error: rewardErrors.VERL_REWARD_SERVER_UNREACHABLE({
      what: `no answer from ${host}`,
      why,
      cause: error,
      ...(isOfCode ? { fix: "start the server, or correct addresses where the judge is made" } : {}),
    }),
  };
}

function brokenOff({ host }: Server, error: unknown): Failure {
  const { cause } = error as { cause?: unknown };
  const what = `the answer of ${host} broke off, or is not compressed as it says`;
  return {
    ...{ isFinal: false, isBroken: true },
    error: rewardErrors.VERL_REWARD_SERVER_FAILED({ what, why: reasonOf(cause ?? error), cause: error }),
  };
}

function unusable({ host }: Server, why: string): Failure {
  return {
    isFinal: true,
    error: rewardErrors.VERL_REWARD_SERVER_FAILED({ what: `${host} gave an answer that cannot be used`, why }),
  };
}

function refusal({ host }: Server, response: Response, text: string, isOfCode: boolean): Failure {
  const { status, statusText, headers } = response;
  const target = redirectOf(response);
  const what = `${host} answered ${`${status} ${statusText}`.trimEnd()}${target === null ? "" : `, a redirect to ${target}`}`;
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return {
    isFinal: status < 500 && status !== TOO_MANY,
    error: rewardErrors.VERL_REWARD_SERVER_FAILED({
      what,
      why: text === "" ? undefined : shown(text),
      data: { status },
      ...(target === null ? {} : { fix: "name the address of the server itself; redirects are not followed" }),
      ...(status === 401 || status === 403
        ? { fix: `name the variable with the server's key in ${isOfCode ? "apiKeyEnv" : "api_key_env"}` }
        : {}),
    }),
    ...(seconds > 0 ? { waitMs: 1000 * seconds } : {}),
  };
}

const withoutSecret = (text: string, key: string | null): string => (key === null ? text : text.replaceAll(key, "***"));

function afterAttempts(error: VerlError, attempts: number): VerlError {
  if (attempts === 1) return error;
  const { code, what, why, fix, data, cause } = error;
  const make = rewardErrors[code as "VERL_REWARD_SERVER_FAILED"];
  return make({ what: `${what} (the last of ${attempts} attempts)`, why, fix, data, cause });
}
