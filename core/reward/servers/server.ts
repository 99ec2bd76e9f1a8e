import { shownVariable } from "../../config/secrets.js";
import { crc32 } from "../../host/util/crc32.js";
import { rewardErrors } from "../errors.js";

/** One server of a judge or reward model. */
export interface Server {
  /** Without trailing slash and `/v1`; paths such as `/v1/models` are appended. */
  readonly base: string;
  /** For messages: no path, no credentials. */
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Requests that are under way. */
  open: number;
}

/**
 * Reads `http://host:port`, `host:port`, or an address that ends in `/v1` as for OpenAI clients. Credentials in it go into a
 * header: they belong into no message.
 */
export function readServer(address: string, where: string): Server {
  const text = /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`;
  if (!URL.canParse(text) || !/^https?:/i.test(text)) {
    throw rewardErrors.VERL_REWARD_BAD_SERVER({ what: "an address of a server is no HTTP address", where });
  }
  const url = new URL(text);
  const { username, password, host } = url;
  const headers: Record<string, string> = {};
  if (username !== "" || password !== "") {
    const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
    headers.authorization = `Basic ${credentials.toString("base64")}`;
  }
  const path = url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
  return { base: `${url.protocol}//${host}${path}`, host, headers, open: 0 };
}

/**
 * The server with the fewest requests under way; of equals the first. Those that have failed a request are passed over while there
 * are others: one that is gone answers at once, and would be the least busy for ever.
 */
export function leastOpen<S extends { readonly open: number }>(
  servers: readonly S[],
  failed: ReadonlySet<S> = new Set(),
): S {
  const untried = servers.filter((server) => !failed.has(server));
  return (untried.length > 0 ? untried : servers).reduce((least, server) =>
    server.open < least.open ? server : least,
  );
}

/**
 * `leastOpen`, or under full determinism, where `body` is given: the server that the request's content picks, whatever else is under
 * way (CRC-32, as in verl).
 */
export function serverFor<S extends { readonly open: number }>(
  servers: readonly S[],
  failed: ReadonlySet<S>,
  body: Uint8Array | null,
): S {
  if (body === null) return leastOpen(servers, failed);
  const untried = servers.filter((server) => !failed.has(server));
  const choice = untried.length > 0 ? untried : servers;
  return choice[crc32(body) % choice.length];
}

/** The secret in a variable of the environment; the configuration holds its name alone. */
export function secretOf(
  variable: string | null,
  env: Readonly<Record<string, string | undefined>>,
  where: string,
  fix?: string,
): string | null {
  if (variable === null) return null;
  const value = env[variable];
  if (value) return value;
  throw rewardErrors.VERL_REWARD_NO_KEY({
    what: `the variable ${shownVariable(variable)} of the environment is not set`,
    where,
    ...(fix === undefined ? {} : { fix }),
  });
}
