import { appendFile, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { expect } from "chai";
import { metricsLine } from "../../../core/tracking/index.js";
import { HOSTILE, makeRun, TestDashboard } from "./support.js";

interface Series {
  name: string;
  steps: number[];
  values: number[];
  seconds: number[] | null;
  stride: number;
  nonFinite: number;
}
interface Page {
  total: number;
  matching: number;
  meanScore: number;
  items: {
    id: number;
    key: string;
    step: number;
    score: number;
    stop: string;
    tokens: string[];
    gaps: number[];
    mask: string;
    more: number;
  }[];
  badLines: number;
  outside: boolean;
}
interface Failure {
  error: { code: string; what: string; fix: string };
}

describe("verl dashboard: HTTP interface", () => {
  let board: TestDashboard;
  before(async () => {
    board = await TestDashboard.start(async (dir) => {
      await makeRun(path.join(dir, "runs", "a"), { steps: 40 });
      await makeRun(path.join(dir, "runs", "b"), { config: "  api_key: sk-secret\n  extra: [1]\n", text: HOSTILE });
      await makeRun(path.join(dir, "runs", "deep", "ein Lauf ☃ #1%"), { steps: 3 });
      await writeFile(path.join(dir, "secret.jsonl"), `${metricsLine(1, { secret: 1 })}\n`);
    });
  });
  after(() => board[Symbol.asyncDispose]());

  const seriesOf = async (id: string, query: string) =>
    (await board.get<{ series: Series[] }>(`/api/runs/${id}/metrics?${query}`)).body.series;
  const rollouts = async (id: string, query = "") => (await board.get<Page>(`/api/runs/${id}/rollouts?${query}`)).body;

  it("lists runs with their last values, also those with odd names", async () => {
    const { body } = await board.get<{ runs: Record<string, unknown>[] }>("/api/runs");
    expect(body.runs.map(({ name }) => name)).to.deep.equal(["a", "b", "deep/ein Lauf ☃ #1%"]);
    const [a] = body.runs;
    expect(a).to.include({
      status: "completed",
      lastStep: 40,
      totalSteps: 40,
      project: "toy",
      problem: null,
      badLines: 0,
    });
    const reward = (a.headline as { kind: string; last: number; spark: number[] }[]).find(
      ({ kind }) => kind === "reward",
    );
    expect(reward?.spark).to.have.length(40);
    expect(reward?.spark.at(-1)).to.be.closeTo(reward?.last ?? 0, 1e-3);
  });

  it("gives curves over steps and seconds, without what is not finite", async () => {
    const [entropy] = await seriesOf(await board.id("a"), "name=actor/entropy");
    expect(entropy.steps.slice(0, 4)).to.deep.equal([1, 2, 4, 5]);
    expect(entropy.seconds?.slice(0, 3)).to.deep.equal([0, 60, 180]);
    expect(entropy).to.include({ stride: 1, nonFinite: 1 });
  });

  it("thins a range of steps out to the points asked for", async () => {
    const [reward] = await seriesOf(await board.id("a"), "name=critic/rewards/mean&from=11&to=40&points=10");
    expect(reward.steps[0]).to.be.at.least(11);
    expect(reward.steps.length).to.be.at.most(12);
    expect(reward.stride).to.equal(4);
  });

  it("keeps long curves small, first and last value exact, with the time of each point", async () => {
    await using long = await TestDashboard.start(async (dir) => {
      await mkdir(path.join(dir, "runs", "a"), { recursive: true });
      const line = (_: unknown, i: number) => metricsLine(i + 1, { x: i + 1 }, new Date(1e12 + (i + 1) * 1000));
      await writeFile(
        path.join(dir, "runs", "a", "metrics.jsonl"),
        `${Array.from({ length: 5000 }, line).join("\n")}\n`,
      );
    });
    const { body } = await long.get<{ series: Series[] }>(`/api/runs/${await long.id("a")}/metrics?name=x`);
    const [{ steps, values, seconds, stride }] = body.series;
    expect(steps.length).to.be.within(300, 602);
    expect([values[0], values.at(-1), stride]).to.deep.equal([1, 5000, 16]);
    expect(seconds).to.deep.equal(steps.map((step) => step - 1));
  });

  it("finds rollouts by step, score and stop reason, page by page", async () => {
    const id = await board.id("a");
    const page = await rollouts(id, "stop=length&split=train&order=best&limit=5");
    expect(page).to.include({ total: 80, matching: 36, badLines: 0, outside: false });
    expect(page.items.map(({ step }) => step)).to.deep.equal([39, 38, 37, 36, 35]);
    const next = await rollouts(id, "stop=length&split=train&order=best&limit=5&offset=5");
    expect(next.items[0].step).to.equal(34);
    expect((await rollouts(id, "step=7&min=0.5")).items.map(({ key }) => key)).to.deep.equal(["u7_0_0"]);
  });

  it("gives tokens with mask, log-probabilities and gaps, and the whole trajectory by its id", async () => {
    const id = await board.id("a");
    const [item] = (await rollouts(id, "step=7&order=file")).items;
    expect(item.tokens.at(-1)).to.equal("\nDone.");
    expect(item.mask).to.equal("111101");
    expect(item.gaps[2]).to.be.closeTo(0.2, 1e-6);
    const { body } = await board.get(`/api/runs/${id}/rollouts/${item.id}`);
    expect(body).to.deep.equal({ ...item });
  });

  it("gives validation rows with the interval of the last value", async () => {
    const { body } = await board.get<{ rows: { name: string; last: { step: number }; interval: number }[] }>(
      `/api/runs/${await board.id("a")}/validation`,
    );
    expect(body.rows[0]).to.nested.include({ name: "val-core/toy/acc/mean@1", "last.step": 40 });
    expect(body.rows[0].interval).to.be.closeTo(0.0392, 1e-9);
  });

  it("shows settings with sources and differences, secrets masked", async () => {
    const [a, b] = [await board.id("a"), await board.id("b")];
    const { body } = await board.get<{ settings: { key: string; value: unknown; source: string }[] }>(
      `/api/runs/${b}/config`,
    );
    expect(body.settings).to.deep.include({ key: "trainer.seed", value: 1, source: "grpo.yaml:3:9" });
    expect(body.settings).to.deep.include({ key: "trainer.api_key", value: "********", source: "default" });
    const differences = await board.get(`/api/differences?run=${a}&run=${b}`);
    expect(differences.body.settings).to.deep.equal([
      { key: "trainer.api_key", values: [null, { value: "********" }] },
      { key: "trainer.extra", values: [null, { value: [1] }] },
    ]);
  });

  it("says that a run recorded no plugins", async () => {
    const { body } = await board.get(`/api/runs/${await board.id("a")}/plugins`);
    expect(body).to.deep.equal({ version: "0.1.0", plugins: null });
  });

  for (const place of [
    "/api/runs/..%2f..%2fsecret.jsonl",
    "/api/runs/%2e%2e/metrics",
    "/api/runs/../secret.jsonl/config",
    "/..%2f..%2fetc/passwd",
    "/cli/dashboard/web/../../main.js",
    "/package.json",
    "/api/runs/__proto__",
    "/api/constructor",
    "/api/runs/a",
  ]) {
    it(`answers ${place} with a coded 404`, async () => {
      const { status, body } = await raw(board, place);
      expect(status).to.equal(404);
      expect((JSON.parse(body) as Failure).error.code).to.equal("VERL_DASHBOARD_NOT_FOUND");
    });
  }

  for (const query of [
    "metrics?points=1",
    "metrics?from=x",
    "metrics?nme=a",
    "rollouts?order=random",
    "rollouts?limit=1000",
    "rollouts?offset=-1",
    "rollouts?step=1&step=2",
  ]) {
    it(`answers ${query} with a coded 400`, async () => {
      const { status, body } = await board.get<Failure>(`/api/runs/${await board.id("a")}/${query}`);
      expect([status, body.error.code]).to.deep.equal([400, "VERL_DASHBOARD_BAD_REQUEST"]);
    });
  }

  it("reads only", async () => {
    const { status, body } = await board.get<Failure>("/api/runs", { method: "POST", body: "x" });
    expect([status, body.error.code]).to.deep.equal([405, "VERL_DASHBOARD_METHOD"]);
  });

  it("answers no page that gave its own name this address", async () => {
    const { status, body } = await raw(board, "/api/runs", { host: "evil.example:4680" });
    expect([status, (JSON.parse(body) as Failure).error.code]).to.deep.equal([403, "VERL_DASHBOARD_HOST"]);
    expect((await raw(board, "/api/runs", { host: "localhost:4680" })).status).to.equal(200);
  });

  it("lets a page run its own scripts only, and be framed nowhere", async () => {
    const { headers } = await fetch(board.url);
    expect(headers.get("content-security-policy")).to.include(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    );
    expect(headers.get("content-security-policy")).to.include("frame-ancestors 'none'");
    expect(headers.get("x-content-type-options")).to.equal("nosniff");
    expect(headers.get("access-control-allow-origin")).to.equal(null);
  });

  it("demands the key for data, and for data only", async () => {
    await using locked = await TestDashboard.start(
      (dir) => makeRun(path.join(dir, "runs", "a"), { steps: 1 }),
      "sesame",
    );
    const missing = await locked.get<Failure>("/api/runs");
    expect([missing.status, missing.body.error.code]).to.deep.equal([401, "VERL_DASHBOARD_KEY"]);
    const wrong = await locked.get("/api/runs", { headers: { authorization: "Bearer sesam" } });
    expect(wrong.status).to.equal(401);
    expect((await locked.get("/api/runs", { headers: { authorization: "Bearer sesame" } })).status).to.equal(200);
    expect((await fetch(`${locked.url}/`)).status).to.equal(200);
  });

  describe("while runs go on", () => {
    it("takes in new lines, waits for half-written ones, counts broken ones", async () => {
      await using live = await TestDashboard.start((dir) => makeRun(path.join(dir, "runs", "a"), { steps: 2 }));
      const id = await live.id("a");
      const last = async () => {
        const { body } = await live.get<{ lastStep: number; badLines: number }>(`/api/runs/${id}`);
        return [body.lastStep, body.badLines];
      };
      expect(await last()).to.deep.equal([2, 0]);
      const line = metricsLine(3, { "critic/rewards/mean": 1 });
      await appendFile(live.at("a", "metrics.jsonl"), line.slice(0, 20));
      expect(await last()).to.deep.equal([2, 0]);
      await appendFile(live.at("a", "metrics.jsonl"), `${line.slice(20)}\n{"step": broken\n\n`);
      expect(await last()).to.deep.equal([3, 1]);
    });

    it("reads a file anew that a resumed run has cut", async () => {
      await using live = await TestDashboard.start((dir) => makeRun(path.join(dir, "runs", "a"), { steps: 20 }));
      const id = await live.id("a");
      await live.get(`/api/runs/${id}/rollouts`);
      await makeRun(live.at("new"), { steps: 5 });
      for (const name of ["metrics.jsonl", "samples.jsonl"]) await rename(live.at("new", name), live.at("a", name));
      expect((await live.get(`/api/runs/${id}`)).body.lastStep).to.equal(5);
      expect((await live.get(`/api/runs/${id}/rollouts`)).body.total).to.equal(10);
    });

    it("goes on without files that are missing or broken, and says so", async () => {
      await using live = await TestDashboard.start(async (dir) => {
        await makeRun(path.join(dir, "runs", "a"), { steps: 2 });
        await makeRun(path.join(dir, "runs", "b"), { steps: 2 });
        await rm(path.join(dir, "runs", "a", "metrics.jsonl"));
        await writeFile(path.join(dir, "runs", "b", "config.yaml"), "a: [1\n");
        await writeFile(path.join(dir, "runs", "b", "run.json"), "5");
      });
      const { body } = await live.get<{ runs: { name: string; lastStep: number | null; problem: string | null }[] }>(
        "/api/runs",
      );
      expect(body.runs[0]).to.include({ name: "a", lastStep: null, problem: null });
      expect(body.runs[1].lastStep).to.equal(2);
      expect(body.runs[1].problem).to.match(/^VERL_/);
      const config = await live.get<Failure>(`/api/runs/${await live.id("b")}/config`);
      expect([config.status, config.body.error.code]).to.deep.equal([422, "VERL_CONFIG_SYNTAX"]);
    });

    it("follows neither links nor configurations out of the folders", async () => {
      await using live = await TestDashboard.start(async (dir) => {
        await makeRun(path.join(dir, "outside"), { steps: 2 });
        await makeRun(path.join(dir, "dumps"), { steps: 2 });
        await rename(path.join(dir, "dumps", "samples.jsonl"), path.join(dir, "dumps", "1.jsonl"));
        await makeRun(path.join(dir, "runs", "a"), {
          steps: 2,
          config: `  rollout_data_dir: ${path.join(dir, "dumps")}\n`,
        });
        await mkdir(path.join(dir, "runs", "b"));
        await symlink(path.join(dir, "outside", "metrics.jsonl"), path.join(dir, "runs", "b", "metrics.jsonl"));
        await symlink(path.join(dir, "outside"), path.join(dir, "runs", "c"));
      });
      const { body } = await live.get<{ runs: { name: string; lastStep: number | null; problem: string }[] }>(
        "/api/runs",
      );
      expect(body.runs.map(({ name }) => name)).to.deep.equal(["a", "b"]);
      expect(body.runs[1].lastStep).to.equal(null);
      expect(body.runs[1].problem).to.match(/^VERL_DASHBOARD_OUTSIDE/);
      const page = (await live.get<Page>(`/api/runs/${await live.id("a")}/rollouts?order=file`)).body;
      expect(page).to.include({ total: 4, outside: true });
    });
  });
});

/** A request whose path is sent as it is. */
function raw(
  board: TestDashboard,
  place: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: "127.0.0.1", port: board.server.port, path: place, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.on("error", reject).end();
  });
}
