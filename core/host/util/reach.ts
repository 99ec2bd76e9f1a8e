import { reasonOf } from "../errors.js";
import { responseText } from "./response-text.js";

export interface ReachOptions {
  readonly method?: "GET" | "HEAD" | "POST" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Longest wait for the answer, its text included. */
  readonly timeoutMs: number;
  /** Whether the text of the answer is wanted; without it the connection ends with the headers. */
  readonly readsText?: boolean;
}

/** An answer, whatever its status, or in words why there was none. */
export type Reach =
  | {
      readonly answered: true;
      readonly status: number;
      readonly headers: Headers;
      /** Null where it was not asked for, or is longer than a megabyte. */
      readonly text: string | null;
      /** See `skewOf`. */
      readonly skewMs?: number;
    }
  | { readonly answered: false; readonly why: string };

const MAX_TEXT_BYTES = 2 ** 20;

/** One request to see whether somebody answers. Never throws; redirections are answers, and are not followed. */
export async function reach(url: URL | string, options: ReachOptions): Promise<Reach> {
  const { method = "GET", headers, body, timeoutMs, readsText = false } = options;
  const signal = AbortSignal.timeout(timeoutMs);
  const sentAt = Date.now();
  try {
    const response = await fetch(url, { method, headers: { ...headers }, body, signal, redirect: "manual" });
    const skewMs = skewOf(response.headers, sentAt, Date.now());
    const text = readsText ? await responseText(response, MAX_TEXT_BYTES) : null;
    if (!readsText) await response.body?.cancel();
    const { status } = response;
    return { answered: true, status, headers: response.headers, text, ...(skewMs === null ? {} : { skewMs }) };
  } catch (error) {
    if (signal.aborted) return { answered: false, why: `no answer within ${timeoutMs / 1000} s` };
    return { answered: false, why: whyUnreachable(error) };
  }
}

/**
 * How far the clock of a server is ahead of this machine's, in ms, from the header `Date` of its answer; it counts whole seconds,
 * and the way there and back is taken as equally long. Null where it says nothing.
 */
export function skewOf(headers: Headers, sentAt: number, receivedAt: number): number | null {
  const date = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(date) ? null : Math.round(date + 500 - (sentAt + receivedAt) / 2);
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there (connection refused)",
  ENOTFOUND: "there is no host of that name",
  EAI_AGAIN: "the name of the host cannot be looked up now",
  ECONNRESET: "the connection was broken off",
  UND_ERR_SOCKET: "the connection was broken off",
  UND_ERR_CONNECT_TIMEOUT: "no connection came about in time",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that network",
  UND_ERR_HEADERS_TIMEOUT: "it took the request, and no answer came in time",
  ERR_SSL_WRONG_VERSION_NUMBER: "what listens there does not speak TLS: its address may begin with http://",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "what listens there does not speak TLS: its address may begin with http://",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  CERT_HAS_EXPIRED: "its certificate has expired, by this machine's clock",
  CERT_NOT_YET_VALID: "its certificate is not valid yet, by this machine's clock",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself (NODE_EXTRA_CA_CERTS names one to trust)",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate comes from an unknown authority (NODE_EXTRA_CA_CERTS names one to trust)",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate comes from an unknown authority (NODE_EXTRA_CA_CERTS names one to trust)",
};

/** What is refused before anybody is asked has no code. */
const WORDS: Readonly<Record<string, string>> = {
  "bad port": "its port belongs to another protocol, and requests over HTTP to it are refused on this side",
  "unknown scheme": "its address begins with neither http:// nor https://",
};

/** In words, without the address. */
export function whyUnreachable(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  // A host with several addresses fails with all of their errors.
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = String((inner as NodeJS.ErrnoException | undefined)?.code ?? "");
  if (/^HPE_/.test(code)) return "what listens there does not speak HTTP";
  const word = WORDS[reasonOf(inner ?? error)];
  return REASONS[code] ?? word ?? (reasonOf(inner ?? error) || code);
}
