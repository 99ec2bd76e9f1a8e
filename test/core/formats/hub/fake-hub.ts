import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const COMMIT = "0123456789abcdef0123456789abcdef01234567";

export interface SeenRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly range: string | undefined;
}

/** Content that the Hub keeps apart from Git has an address of its own. */
const isLarge = (name: string) => /\.(safetensors|gguf)$/.test(name);

/**
 * A Hub with one repository, `org/tiny`, over real HTTP. Large files are redirected to a second origin, as the Hub does. Tests
 * change its behaviour by its fields.
 */
export class FakeHub {
  readonly requests: SeenRequest[] = [];
  /** Status to answer everything with. */
  status = 200;
  headers: Record<string, string> = {};
  /** How many answers to cut in the middle. */
  cuts = 0;
  knowsRanges = true;
  /** Content that is sent in place of what the digests promise. */
  readonly sent = new Map<string, Buffer>();
  /** Names to list beside the files. */
  strangeNames: readonly string[] = [];
  private readonly servers: Server[] = [];
  private contentOrigin = "";
  endpoint = "";

  private constructor(readonly files: Map<string, Buffer>) {}

  static async start(files: Readonly<Record<string, string | Buffer>>): Promise<FakeHub> {
    const hub = new FakeHub(new Map(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)])));
    hub.endpoint = await hub.listen((request, response) => hub.answer(request, response));
    hub.contentOrigin = await hub.listen((request, response) => hub.sendFile(request, response));
    return hub;
  }

  /** Paths of the requests since the last call. */
  taken(): string[] {
    return this.requests.splice(0).map(({ path }) => path);
  }

  async stop(): Promise<void> {
    for (const server of this.servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  static digest(name: string, content: Buffer): string {
    if (isLarge(name)) return createHash("sha256").update(content).digest("hex");
    return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
  }

  private async listen(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
    const server = createServer((request, response) => {
      const { url = "", headers } = request;
      this.requests.push({ path: url, authorization: headers.authorization, range: headers.range });
      handler(request, response);
    });
    this.servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? "").split("?")[0];
    if (this.status !== 200) {
      response.writeHead(this.status, this.headers).end();
    } else if (path.startsWith("/api/models/org/tiny/revision/")) {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(this.listing()));
    } else if (path.startsWith(`/org/tiny/resolve/${COMMIT}/`)) {
      const name = path.split("/").at(-1) as string;
      if (isLarge(name)) response.writeHead(302, { location: `${this.contentOrigin}/${name}?signed=1` }).end();
      else this.sendFile(request, response);
    } else {
      response.writeHead(404, this.headers).end();
    }
  }

  private listing() {
    const files = [...this.files].map(([name, content]) => {
      const digest = FakeHub.digest(name, content);
      const stored = isLarge(name) ? { lfs: { sha256: digest, size: content.length } } : { blobId: digest };
      return { rfilename: name, size: content.length, ...stored };
    });
    const strange = this.strangeNames.map((rfilename) => ({ rfilename, size: 1, blobId: "0".repeat(40) }));
    return { id: "org/tiny", sha: COMMIT, siblings: [...files, ...strange] };
  }

  private sendFile(request: IncomingMessage, response: ServerResponse): void {
    const name = (request.url ?? "").split("?")[0].split("/").at(-1) as string;
    const content = this.sent.get(name) ?? this.files.get(name);
    if (!content) return void response.writeHead(404).end();
    const from = this.knowsRanges ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0) : 0;
    const rest = content.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, { "content-length": rest.length });
    if (this.cuts > 0 && isLarge(name)) {
      this.cuts--;
      response.write(rest.subarray(0, rest.length >> 1), () => response.socket?.end());
    } else {
      response.end(rest);
    }
  }
}
