import { randomUUID } from "node:crypto";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { toyServer } from "./toys.js";

/** The toys over HTTP on the loopback interface: `/mcp` streamable, `/sse` the older way. */
export class HttpToys implements AsyncDisposable {
  /** Headers of all requests. */
  readonly authorizations: (string | undefined)[] = [];
  /** Answers with this status instead. */
  refuseWith: number | null = null;
  readonly #sessions = new Map<string, StreamableHTTPServerTransport>();
  readonly #streams = new Map<string, SSEServerTransport>();
  readonly #server = http.createServer((request, response) => void this.#serve(request, response));
  port = 0;

  static async start(port = 0): Promise<HttpToys> {
    const toys = new HttpToys();
    await new Promise<void>((resolve) => toys.#server.listen(port, "127.0.0.1", resolve));
    toys.port = (toys.#server.address() as AddressInfo).port;
    return toys;
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** Knows no session any more, as after a restart. */
  forget(): void {
    this.#sessions.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.authorizations.push(request.headers.authorization);
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (this.refuseWith !== null) {
      response.writeHead(this.refuseWith).end();
    } else if (url.pathname === "/sse") {
      const transport = new SSEServerTransport("/messages", response);
      this.#streams.set(transport.sessionId, transport);
      await toyServer().connect(transport);
    } else if (url.pathname === "/messages") {
      await this.#streams.get(url.searchParams.get("sessionId") ?? "")?.handlePostMessage(request, response);
    } else {
      await this.#streamable(request, response);
    }
  }

  async #streamable(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? this.#sessions.get(id) : undefined;
    if (id !== undefined && !known) {
      response.writeHead(404).end();
      return;
    }
    const transport =
      known ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => void this.#sessions.set(session, transport),
      });
    if (!known) await toyServer().connect(transport as Transport);
    await transport.handleRequest(request, response);
  }
}
