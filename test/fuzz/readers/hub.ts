import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import fc from "fast-check";
import { hubSnapshot } from "../../../core/formats/index.js";
import { COMMIT, FakeHub } from "../../core/formats/hub/fake-hub.js";
import { type FuzzReader, textOf } from "../fuzz-reader.js";
import { withOddMember } from "./odd-json.js";
import { nested } from "./soup.js";

/** Between the server's list of files, the commit in the cache, and the index of shards there. */
const CUT = "\n%%\n";
const CONTENT = Buffer.from("{}");
const DIGEST = FakeHub.digest("config.json", CONTENT);
const LARGE_DIGEST = FakeHub.digest("model.safetensors", CONTENT);
const LISTING = {
  sha: COMMIT,
  siblings: [
    { rfilename: "config.json", size: CONTENT.length, blobId: DIGEST },
    { rfilename: "model.safetensors", size: CONTENT.length, blobId: DIGEST, lfs: { sha256: LARGE_DIGEST } },
    { rfilename: "onnx/model.onnx", size: 5, blobId: DIGEST },
  ],
};
const INDEX = { weight_map: { w: "model-00001-of-00001.safetensors" } };

const stateOf = (listing: unknown, index: unknown = INDEX, ref = COMMIT) =>
  [listing, ref, index].map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(CUT);

/** A server of models, and the cache of what came from it. */
export const hub: FuzzReader = {
  name: "hub",
  seeds: () => [stateOf(LISTING), stateOf(LISTING, INDEX, "")],
  words: ['"rfilename":"', '"size":', '"blobId":', '"lfs":{', '".."', "null", "9007199254740991", "[", "{", CUT],
  generated: fc.oneof(
    withOddMember(LISTING).map((listing) => stateOf(listing ?? null)),
    withOddMember(INDEX).map((index) => stateOf(LISTING, index ?? null)),
  ),
  hostile: {
    "no list": () => stateOf(null),
    "a deep list": () => stateOf(nested("[", "]", 100_000)),
    "100,000 files": () =>
      stateOf({
        ...LISTING,
        siblings: Array.from({ length: 100_000 }, (_, i) => ({ rfilename: `f${i}`, size: 1, blobId: DIGEST })),
      }),
    "files elsewhere": () =>
      stateOf({
        ...LISTING,
        siblings: ["..", "../x", "/etc/passwd", "a\0.json", "-", ""].map((rfilename) => ({
          rfilename,
          size: 2,
          blobId: DIGEST,
        })),
      }),
    "a size beyond disks": () => stateOf({ ...LISTING, siblings: [{ ...LISTING.siblings[0], size: 2 ** 53 - 1 }] }),
    "more than was promised": () => stateOf({ ...LISTING, siblings: [{ ...LISTING.siblings[0], size: 1 }] }),
    "shards that are no names": () => stateOf(LISTING, { weight_map: { a: 5, b: {}, c: null } }),
    "no shards": () => stateOf(LISTING, null),
  },
  async read(input, folder) {
    const [listing = "", ref = "", index = ""] = textOf(input).split(CUT);
    const store = path.join(folder, "hub", "models--org--tiny");
    const snapshot = path.join(store, "snapshots", COMMIT.replace(/^0/, "1"));
    mkdirSync(path.join(store, "refs"), { recursive: true });
    mkdirSync(snapshot, { recursive: true });
    writeFileSync(path.join(store, "refs", "main"), ref === COMMIT ? path.basename(snapshot) : ref);
    writeFileSync(path.join(snapshot, "config.json"), "{}");
    writeFileSync(path.join(snapshot, "model.safetensors.index.json"), index);
    const server = createServer(
      ({ url = "" }, response) => void response.end(url.startsWith("/api/") ? listing : CONTENT),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const logger = { debug() {}, info() {}, warn() {}, error() {} };
      return await hubSnapshot(
        { repo: "org/tiny", revision: "main", file: null },
        { env: { HF_ENDPOINT: endpoint, HF_HOME: folder }, logger, retryDelaysMs: [] },
      );
    } finally {
      server.close();
      server.closeAllConnections();
    }
  },
};
