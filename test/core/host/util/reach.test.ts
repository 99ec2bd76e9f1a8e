import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect } from "chai";
import { reach, skewOf, whyUnreachable } from "../../../../core/host/index.js";
import { deadAddress, HttpServer, heldReply } from "../../reward/servers/http-server.js";

describe("core/host/util/reach", () => {
  it("gives status and text of whatever answers, refusals and redirections included", async () => {
    await using server = await HttpServer.start(() => ({ status: 302, headers: { location: "/x" }, body: "moved" }));
    const answer = await reach(server.address, { timeoutMs: 5000, readsText: true });
    expect(answer).to.deep.include({ answered: true, status: 302, text: "moved" });
    expect(server.received).to.have.length(1);
  });

  it("says in words why there was no answer", async () => {
    expect(await reach(await deadAddress(), { timeoutMs: 5000 })).to.deep.equal({
      answered: false,
      why: "nothing listens there (connection refused)",
    });
    const unknown = Object.assign(new Error("x"), { cause: Object.assign(new Error("y"), { code: "ENOTFOUND" }) });
    expect(whyUnreachable(unknown)).to.equal("there is no host of that name");
    const both = new AggregateError([Object.assign(new Error("a"), { code: "ECONNREFUSED" })]);
    expect(whyUnreachable({ cause: both })).to.equal("nothing listens there (connection refused)");
  });

  it("says in words what the client itself refuses, and who does not speak its language", async () => {
    const why = async (address: string) => {
      const answer = await reach(address, { timeoutMs: 5000 });
      return answer.answered ? "answered" : answer.why;
    };
    expect(await why("http://127.0.0.1:9/")).to.contain("its port belongs to another protocol");
    expect(await why("gopher://127.0.0.1:4680/")).to.contain("neither http:// nor https://");
    await using server = await HttpServer.start(() => ({}));
    expect(await why(server.address.replace("http:", "https:"))).to.contain("may begin with http://");
    const other = createServer((socket) => void socket.end("220 mail is here\r\n")).listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    expect(await why(`http://127.0.0.1:${port}/`)).to.contain("does not speak HTTP");
    other.close();
  });

  it("waits no longer than it is told", async () => {
    const held = heldReply();
    await using server = await HttpServer.start(held.reply);
    expect(await reach(server.address, { timeoutMs: 50 })).to.deep.equal({
      answered: false,
      why: "no answer within 0.05 s",
    });
    held.release();
  });

  it("reads the clock of the server off its answer", async () => {
    await using server = await HttpServer.start(() => ({
      headers: { date: new Date(Date.now() + 3_600_000).toUTCString() },
    }));
    const answer = await reach(server.address, { timeoutMs: 5000 });
    expect(answer.answered && answer.skewMs).to.be.closeTo(3_600_000, 2000);
    expect(skewOf(new Headers({ date: "soon" }), 0, 0)).to.equal(null);
    expect(skewOf(new Headers(), 0, 0)).to.equal(null);
  });
});
