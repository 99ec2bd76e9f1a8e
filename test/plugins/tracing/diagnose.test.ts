import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect } from "chai";
import { otelTracer, prometheusTracer } from "../../../plugins/tracing/index.js";
import { tracerOptions } from "../../../testing/index.js";
import { deadAddress, HttpServer } from "../../core/reward/servers/http-server.js";

describe("plugins/tracing, as doctor sees it", () => {
  const about = tracerOptions(".");
  const collector = async (endpoint: string | null, headers: Record<string, unknown> = {}) => {
    const trace = { ...about.trace, endpoint, headers };
    return (await otelTracer.diagnose?.({ ...about, trace, timeoutMs: 5000 })) ?? [];
  };

  it("hands the collector an export without spans", async () => {
    await using server = await HttpServer.start(() => ({}));
    const [finding] = await collector(server.address, { "x-key": "s3cret" });
    expect(finding).to.include({ status: "ok", detail: "takes spans at /v1/traces" });
    expect(server.received.map(({ path, body }) => ({ path, body }))).to.deep.equal([
      { path: "/v1/traces", body: { resourceSpans: [] } },
    ]);
    expect(server.received[0].headers["x-key"]).to.equal("s3cret");
    expect(JSON.stringify(finding)).not.to.contain("s3cret");
  });

  it("warns of a collector that is not there, refuses, or is none; a run goes on without it", async () => {
    await using server = await HttpServer.start(({ path }) => ({ status: path === "/v1/traces" ? 403 : 404 }));
    const [dead] = await collector(await deadAddress());
    expect(dead).to.include({ status: "warning" });
    expect(dead.detail).to.contain("nothing listens there");
    expect((await collector(server.address))[0].fix).to.contain("trace.headers");
    expect((await collector(`${server.address}/other`))[0].fix).to.contain("OTLP/HTTP");
    expect((await collector("collector:4318"))[0]).to.include({ status: "failed" });
  });

  it("says nothing where spans only go into the file", async () => {
    expect(await collector(null)).to.deep.equal([]);
  });

  it("says whether the port of the metrics is free", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const look = async () =>
      (await prometheusTracer.diagnose?.({
        ...about,
        prometheus: { port, file: null, servedModelName: null },
        timeoutMs: 5000,
      })) ?? [];
    const [taken] = await look();
    expect(taken.status).to.equal("warning");
    expect(taken.fix).to.contain("rollout.prometheus.port");
    await new Promise((resolve) => other.close(resolve));
    expect((await look())[0]).to.include({ status: "ok", detail: "free" });
  });
});
