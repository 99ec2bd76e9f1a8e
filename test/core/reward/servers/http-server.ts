import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent.
  readonly body: any;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or a text as it is. */
  readonly body?: unknown;
}

/** A real HTTP server on this machine that answers as `reply` says and remembers what it was asked. */
export class HttpServer implements AsyncDisposable {
  readonly received: Received[] = [];
  /** Requests that have not been answered. */
  open = 0;
  mostOpen = 0;

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    readonly port: number,
  ) {}

  static async start(reply: (request: Received) => Reply | Promise<Reply>): Promise<HttpServer> {
    const server = createServer(async (incoming, outgoing) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      const { method = "", url: path = "", headers } = incoming;
      const request = { method, path, headers, body: text === "" ? null : JSON.parse(text) };
      self.received.push(request);
      self.mostOpen = Math.max(self.mostOpen, ++self.open);
      const { status = 200, body = {}, headers: own = {} } = await reply(request);
      self.open--;
      outgoing.writeHead(status, { "content-type": "application/json", ...own });
      outgoing.end(typeof body === "string" ? body : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const self = new HttpServer(server, (server.address() as AddressInfo).port);
    return self;
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** How often a path was asked. */
  count(path: string): number {
    return this.received.filter((request) => request.path === path).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => {
      this.server.close(resolve);
      this.server.closeAllConnections();
    });
  }
}

/** What OpenAI's `/v1/chat/completions` answers. */
export const completion = (content: string | null): Reply => ({
  body: {
    id: "c1",
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  },
});

/** An address at which nobody listens. */
export async function deadAddress(): Promise<string> {
  const server = await HttpServer.start(() => ({}));
  await server[Symbol.asyncDispose]();
  return server.address;
}

/** A reply that waits until it is released, and how to release it. */
export function heldReply(): { readonly reply: () => Promise<Record<string, never>>; readonly release: () => void } {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { reply: () => held.then(() => ({})), release: () => release() };
}
