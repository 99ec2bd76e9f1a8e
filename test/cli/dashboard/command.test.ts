import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { PAGE_MODULES, pageFiles } from "../../../cli/dashboard/page-files.js";
import { cli } from "../support.js";
import { makeRun, TestDashboard } from "./support.js";

const MAIN = fileURLToPath(new URL("../../../cli/main.js", import.meta.url));

describe("verl dashboard: command", () => {
  let board: TestDashboard;
  before(async () => {
    board = await TestDashboard.start((dir) => makeRun(path.join(dir, "runs", "a"), { steps: 2 }));
  });
  after(() => board[Symbol.asyncDispose]());

  async function started(...args: string[]) {
    const child = spawn(process.execPath, [MAIN, "dashboard", board.at(), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    const url = args.includes("--json") ? (JSON.parse(line) as { url: string }).url : line;
    const end = async () => {
      const exit = once(child, "exit");
      child.kill("SIGINT");
      const [code] = (await exit) as [number];
      return code;
    };
    return { url, end };
  }

  it("prints its address as JSON, answers there, and ends at once by Ctrl-C though somebody is connected", async () => {
    const { url, end } = await started("--json", "--port", "0");
    const { port, hostname } = new URL(url);
    expect(hostname).to.equal("127.0.0.1");
    const socket = net.connect(Number(port), hostname).on("error", () => {});
    await once(socket, "connect");
    expect((await fetch(`${url}api/runs`)).status).to.equal(200);
    expect(await end()).to.equal(0);
    socket.destroy();
  });

  it("generates a key for any other address, and keeps it out of what browsers send", async () => {
    const { url, end } = await started("--json", "--port", "0", "--host", "0.0.0.0");
    const { port, hash } = new URL(url);
    const key = new URLSearchParams(hash.slice(1)).get("key") ?? "";
    expect(key).to.match(/^[\w-]{24}$/);
    const place = `http://127.0.0.1:${port}/api/runs`;
    expect((await fetch(place)).status).to.equal(401);
    expect((await fetch(place, { headers: { authorization: `Bearer ${key}` } })).status).to.equal(200);
    expect(await end()).to.equal(0);
  });

  it("refuses a port that is taken", async () => {
    const { code, stdout } = await cli(["dashboard", board.at(), "--json", "--port", String(board.server.port)]);
    const { error } = JSON.parse(stdout);
    expect([code, error.code]).to.deep.equal([1, "VERL_DASHBOARD_LISTEN"]);
    expect(error.why).to.match(/ listens on port \d+ \(EADDRINUSE\)/);
  });

  for (const [args, code] of [
    [["nowhere"], "VERL_DASHBOARD_NO_FOLDER"],
    [["--port", "70000"], "VERL_CLI_USAGE"],
    [["--port", "x"], "VERL_CLI_USAGE"],
    [["--host", "not an address"], "VERL_DASHBOARD_LISTEN"],
  ] as const) {
    it(`answers ${args.join(" ")} with ${code}`, async () => {
      const { stdout } = await cli(["dashboard", ...args, "--json"], { cwd: board.at() });
      expect(JSON.parse(stdout).error.code).to.equal(code);
    });
  }
});

describe("verl dashboard: page", () => {
  const source = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), "utf8");

  it("serves every module that its modules import, and no other", () => {
    const needed = new Set(["cli/dashboard/web/app.js"]);
    for (const name of needed) {
      for (const [, imported] of source(name).matchAll(/\bfrom "([^"]+)"/g))
        needed.add(path.posix.join(path.posix.dirname(name), imported));
    }
    expect([...needed].sort()).to.deep.equal([...PAGE_MODULES].sort());
  });

  it("is small, loads nothing from elsewhere, and holds neither inline script nor style", async () => {
    const files = await pageFiles();
    const texts = [...files.values()].map(({ body }) => body.toString());
    expect(texts.reduce((sum, text) => sum + text.length, 0)).to.be.below(150_000);
    const addresses = texts.flatMap((text) => text.match(/https?:\/\/[^\s"'`)]*/g) ?? []);
    expect(new Set(addresses)).to.deep.equal(new Set(["http://www.w3.org/2000/svg"]));
    const page = files.get("/")?.body.toString() ?? "";
    expect(page).not.to.match(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
  });

  it("writes no text as markup", () => {
    for (const name of PAGE_MODULES) {
      expect(source(name), name).not.to.match(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc/,
      );
    }
  });
});
