import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as plainRequest,
  type ServerResponse,
} from "node:http";
import { request as secureRequest } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { reasonOf } from "../../host/errors.js";
import { listenOn, whyNotListening } from "../../host/util/listen.js";
import { rewardErrors } from "../errors.js";
import { type Server, serverFor } from "./server.js";

/** A running router. */
export interface Router {
  /** `127.0.0.1:PORT`. */
  readonly address: string;
  close(): Promise<void>;
}

export interface RouterOptions {
  readonly servers: readonly Server[];
  /** Milliseconds before attempts 2 and 3. */
  readonly waits?: readonly number[];
  /** The body of a request picks its server, whatever else is under way. */
  readonly fullDeterminism?: boolean;
}

const MAX_BODY_BYTES = 64 * 2 ** 20;
const WAITS = [2000, 4000];
/** Belong to one connection and are not passed on. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * A plain HTTP proxy on this machine (verl's `reward_router_address`): any path goes to the server with the fewest requests
 * under way. What cannot be delivered is tried three times, each time on another server where there is one; what a server answers is passed on as it is, refusals too. It adds
 * no key: callers send their own. Without servers it answers 503, with none that can be reached 502, and web pages (requests with
 * an `Origin`) 403.
 */
export async function startRouter(options: RouterOptions): Promise<Router> {
  const { servers, waits = WAITS, fullDeterminism = false } = options;
  const listener = createServer((incoming, outgoing) => {
    route(incoming, outgoing).catch((error: unknown) => {
      if (!outgoing.headersSent) answer(outgoing, 502, reasonOf(error));
      else outgoing.destroy();
    });
  });

  async function route(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (servers.length === 0) return answer(outgoing, 503, "there are no servers");
    if (incoming.method !== "GET" && incoming.method !== "POST") return answer(outgoing, 405, "GET or POST");
    if (incoming.headers.origin !== undefined) return answer(outgoing, 403, "not for web pages");
    const body = await bodyOf(incoming);
    if (body === null) return answer(outgoing, 413, `more than ${MAX_BODY_BYTES} bytes`);
    const gone = new AbortController();
    outgoing.once("close", () => gone.abort());
    const failed = new Set<Server>();
    for (let attempt = 0; ; attempt++) {
      const server = serverFor(servers, failed, fullDeterminism ? body : null);
      server.open++;
      try {
        return await deliver(server, incoming, body, outgoing, gone.signal);
      } catch (error) {
        if (gone.signal.aborted) return;
        // An answer that has begun cannot be taken back.
        if (outgoing.headersSent || attempt >= waits.length) throw error;
        failed.add(server);
      } finally {
        server.open--;
      }
      await sleep(waits[attempt], null, { signal: gone.signal });
    }
  }

  const place = { port: 0, host: "127.0.0.1" };
  const port = await listenOn(listener, place).catch((cause: unknown) => {
    throw rewardErrors.VERL_REWARD_NO_ROUTER({
      what: "the router over the servers of the judge cannot listen on this machine",
      where: place.host,
      why: whyNotListening(cause, place),
      cause,
    });
  });
  listener.unref();
  return {
    address: `127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        listener.closeAllConnections();
      }),
  };
}

/** Resolves when the whole answer has been passed on. */
function deliver(
  server: Server,
  incoming: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const url = new URL(`${server.base}${incoming.url ?? "/"}`);
  const headers = { ...passedOn(incoming.headers), host: url.host, "content-length": body.length };
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? secureRequest : plainRequest;
    const request = send(url, { method: incoming.method, headers, signal }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, passedOn(response.headers));
      response.on("error", reject);
      response.on("end", resolve);
      response.pipe(outgoing);
    });
    request.on("error", reject);
    request.end(body);
  });
}

function passedOn(headers: IncomingMessage["headers"]): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function answer(outgoing: ServerResponse, status: number, error: string): void {
  outgoing.writeHead(status, { "content-type": "application/json" });
  outgoing.end(JSON.stringify({ error }));
}
