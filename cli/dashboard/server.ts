import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isVerlError, listenOn, reasonOf, type VerlError, whyNotListening } from "../../core/host/basics.js";
import { answer } from "./api.js";
import type { Catalogue } from "./catalogue.js";
import { dashboardErrors } from "./errors.js";
import type { PageFile } from "./page-files.js";
import { Query } from "./query.js";

export interface ServerOptions {
  readonly catalogue: Catalogue;
  /** By their path, `/` among them. */
  readonly files: ReadonlyMap<string, PageFile>;
  readonly host: string;
  /** Null takes {@link DEFAULT_PORT}, or a free one where that is taken. */
  readonly port: number | null;
  /** What every request for data must bring; null only on a loopback address. */
  readonly key: string | null;
}

export interface RunningServer {
  readonly port: number;
  /** Ends at once: nobody who is connected is waited for. */
  close(): Promise<void>;
}

export const DEFAULT_PORT = 4680;

/** Names of this machine to itself. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);

/** `VERL_DASHBOARD_LISTEN` where the address cannot be had. */
export async function serve(options: ServerOptions): Promise<RunningServer> {
  const server = createServer((request, response) => void respond(request, response, options));
  server.requestTimeout = 10_000;
  server.maxHeadersCount = 100;
  const place = { host: options.host, port: options.port ?? DEFAULT_PORT };
  let port: number;
  try {
    port = await listenOn(server, place).catch((error: NodeJS.ErrnoException) => {
      if (options.port !== null || error.code !== "EADDRINUSE") throw error;
      return listenOn(server, { ...place, port: 0 });
    });
  } catch (cause) {
    const where = `${place.host}:${place.port}`;
    throw dashboardErrors.VERL_DASHBOARD_LISTEN({
      what: "The dashboard cannot start.",
      where,
      why: whyNotListening(cause, place),
      cause,
    });
  }
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

async function respond(request: IncomingMessage, response: ServerResponse, options: ServerOptions): Promise<void> {
  try {
    const found = await route(request, options);
    const body = Buffer.isBuffer(found.body) ? found.body : Buffer.from(JSON.stringify(found.body));
    send(request, response, 200, found.type, body);
  } catch (error) {
    const { status, body } = failure(error);
    send(request, response, status, "application/json; charset=utf-8", Buffer.from(JSON.stringify({ error: body })));
  }
}

async function route(request: IncomingMessage, options: ServerOptions): Promise<{ type: string; body: unknown }> {
  checkHost(request, options);
  if (request.method !== "GET" && request.method !== "HEAD") {
    throw dashboardErrors.VERL_DASHBOARD_METHOD({ what: `${request.method} is not possible.` });
  }
  const url = parseUrl(request.url ?? "/");
  const file = options.files.get(url.pathname);
  if (file) return file;
  const [, root, ...path] = url.pathname.split("/");
  if (root !== "api") {
    throw dashboardErrors.VERL_DASHBOARD_NOT_FOUND({ what: "There is nothing under this address." });
  }
  checkKey(request, options.key);
  const body = await answer(path, new Query(url.searchParams), options.catalogue);
  return { type: "application/json; charset=utf-8", body };
}

/** Without a key only this machine's own names are answered: a page elsewhere may have given its name this address. */
function checkHost(request: IncomingMessage, { key }: ServerOptions): void {
  if (key !== null) return;
  const name = /^(\[[^\]]*\]|[^:]*)(:\d*)?$/.exec(request.headers.host ?? "")?.[1] ?? "";
  if (!isLoopback(name.replace(/^\[|\]$/g, "").toLowerCase())) {
    throw dashboardErrors.VERL_DASHBOARD_HOST({ what: "The request is for another host." });
  }
}

function checkKey({ headers }: IncomingMessage, key: string | null): void {
  if (key === null) return;
  const given = /^Bearer (.{1,200})$/.exec(headers.authorization ?? "")?.[1] ?? "";
  const digest = (text: string) => createHash("sha256").update(text).digest();
  if (!timingSafeEqual(digest(given), digest(key))) {
    throw dashboardErrors.VERL_DASHBOARD_KEY({
      what: given === "" ? "The key is missing." : "The key is not the right one.",
    });
  }
}

function parseUrl(text: string): URL {
  try {
    return new URL(text, "http://localhost");
  } catch (cause) {
    throw dashboardErrors.VERL_DASHBOARD_BAD_REQUEST({ what: "The address cannot be read.", cause });
  }
}

const STATUS: Readonly<Record<string, number>> = {
  VERL_DASHBOARD_BAD_REQUEST: 400,
  VERL_DASHBOARD_KEY: 401,
  VERL_DASHBOARD_HOST: 403,
  VERL_DASHBOARD_OUTSIDE: 403,
  VERL_DASHBOARD_NOT_FOUND: 404,
  VERL_DASHBOARD_METHOD: 405,
};

/** A file of a run that is wrong is 422; an error without a code keeps its stack to itself. */
function failure(error: unknown): { status: number; body: unknown } {
  if (!isVerlError(error)) return { status: 500, body: { code: "VERL_CLI_INTERNAL", what: reasonOf(error) } };
  const { code, what, why, fix }: VerlError = error;
  return { status: STATUS[code] ?? 422, body: { code, what, why, fix } };
}

function send(request: IncomingMessage, response: ServerResponse, status: number, type: string, body: Buffer): void {
  if (status === 401) response.setHeader("www-authenticate", "Bearer");
  if (status === 405) response.setHeader("allow", "GET, HEAD");
  response.writeHead(status, { ...HEADERS, "content-type": type, "content-length": body.length });
  response.end(request.method === "HEAD" ? undefined : body);
}
