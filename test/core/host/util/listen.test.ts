import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { expect } from "chai";
import { listenOn, whyNotListening } from "../../../../core/host/index.js";

/** Listens until its input ends, and says where. */
const OTHER = `const server = require("net").createServer();
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.on("end", () => process.exit()).resume();`;

async function whyOf(place: { readonly port: number; readonly host: string }): Promise<string> {
  const server = createServer();
  try {
    await listenOn(server, place);
  } catch (error) {
    return whyNotListening(error, place);
  }
  server.close();
  throw new Error("the port was expected to be taken");
}

describe("a server that cannot listen", () => {
  it("says which process has the port, where the system tells", async () => {
    const other = spawn(process.execPath, ["-e", OTHER], { stdio: ["pipe", "pipe", "inherit"] });
    try {
      const [text] = await once(other.stdout, "data");
      const port = Number(String(text));
      const why = await whyOf({ port, host: "127.0.0.1" });
      const who = process.platform === "linux" ? `process ${other.pid} \\(".*node.*"\\)` : "somebody else";
      expect(why).to.match(new RegExp(`^${who} listens on port ${port} \\(EADDRINUSE\\)$`));
    } finally {
      other.stdin.end();
      await once(other, "exit");
    }
  });

  it("says that it has the port itself", async () => {
    const server = createServer();
    const port = await listenOn(server, { port: 0, host: "127.0.0.1" });
    const why = await whyOf({ port, host: "127.0.0.1" });
    server.close();
    expect(why).to.match(/^(this process itself|somebody else) listens on port/);
  });

  it("says that an address is not this machine's", async () => {
    expect(await whyOf({ port: 0, host: "192.0.2.1" })).to.equal(
      "192.0.2.1 is no address of this machine (EADDRNOTAVAIL)",
    );
  });
});
