import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { exitCodeOf } from "../../../../cli/program/report-error.js";
import type { ToolFactoryOptions } from "../../../../core/plugin.js";
import { mcpTools } from "../../../../plugins/tools/index.js";
import { readServers } from "../../../../plugins/tools/mcp/servers-file.js";
import { runConformance, toolConformance } from "../../../../testing/index.js";
import { errorOf, OpenedTools } from "../support.js";
import { HttpToys } from "./http-server.js";
import { isRunning, processesWith } from "./processes.js";

const STDIO = fileURLToPath(new URL("./stdio-server.js", import.meta.url));
const NAMES = ["add", "words", "picture", "refuse", "hang", "die", "env", "pid", "flood", "swap"];
const stdio = (...args: readonly string[]) => ({ command: process.execPath, args: [STDIO, ...args] });

/** Answers with a list of tools that always goes on, after a while where its cursors are new; `none`: to nothing with sense. */
const ENDLESS = `
  const mode = process.argv.at(-1);
  let page = 0;
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    const start = { protocolVersion: "2025-03-26", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } };
    const list = { tools: [], nextCursor: mode === "same" ? "c" : "c" + page++ };
    const result = mode === "none" ? {} : method === "initialize" ? start : list;
    setTimeout(() => console.log(JSON.stringify({ jsonrpc: "2.0", id, result })), mode === "new" && page > 0 ? 100 : 0);
  });`;

const folder = await mkdtemp(path.join(tmpdir(), "verl-mcp-"));
const file = path.join(folder, "servers.json");
await writeFile(file, JSON.stringify({ mcpServers: { toys: stdio() } }));

describe("plugins/tools/mcp", () => {
  let cwd: string;
  beforeEach(async () => {
    cwd = await mkdtemp(path.join(tmpdir(), "verl-mcp-"));
  });
  afterEach(() => rm(cwd, { recursive: true }));

  const ENV = { PATH: process.env.PATH, SECRET_API_KEY: "do-not-tell", TOKEN: "t0ken" };

  async function entry(
    servers: Readonly<Record<string, object>>,
    { config = {}, mcp = {} }: { readonly config?: object; readonly mcp?: object } = {},
  ): Promise<Partial<ToolFactoryOptions>> {
    await writeFile(path.join(cwd, "servers.json"), JSON.stringify({ mcpServers: servers }));
    const quick = { connect_attempts: 2, connect_delay_s: 0, reconnect_delay_s: 0 };
    const sections = { mcp: { mcp_servers_config_path: "servers.json", ...quick, ...mcp } };
    return { config, sections, cwd, env: ENV, where: "tools.yaml, entry 1" } as Partial<ToolFactoryOptions>;
  }
  const open = async (
    servers: Readonly<Record<string, object>>,
    options: Parameters<typeof entry>[1] = {},
    over: Parameters<typeof OpenedTools.of>[2] = {},
  ) => OpenedTools.of(mcpTools, await entry(servers, options), over);
  const refusal = async (...args: Parameters<typeof entry>) => {
    const opening = open(...args);
    return errorOf(opening.then((tools) => tools[Symbol.asyncDispose]()));
  };

  describe("a server that is a program", () => {
    it("offers its tools under their names, with their schemas", async () => {
      await using tools = await open({ toys: stdio() });
      expect(tools.names).to.deep.equal(NAMES);
      expect(tools.tool("add").schema.function).to.deep.include({
        description: "Adds.",
        parameters: {
          type: "object",
          properties: { a: { type: "number" }, b: { type: "number" } },
          required: ["a", "b"],
        },
      });
    });

    it("answers calls, also at the same time, and joins the texts of a result", async () => {
      await using tools = await open({ toys: stdio("--noisy") });
      const records = await tools.calls([
        ["add", { a: 2, b: 3 }],
        ["words", {}],
        ["add", { a: 20, b: 30 }],
      ]);
      expect(records.map(({ message }) => message.content)).to.deep.equal(["5", "one two three", "50"]);
      expect((await tools.call("add", { a: "two", b: 3 })).outcome).to.equal("bad_arguments");
    });

    it("names what is no text, or passes it on where the entry says so", async () => {
      await using named = await open({ toys: stdio() });
      expect(await named.text("picture", {})).to.equal("a pixel [image, image/png, 70 bytes: not shown] from a file");
      await using passing = await open({ toys: stdio() }, { mcp: { media: "pass" } }, { takesMedia: true });
      const { content } = (await passing.call("picture", {})).message;
      expect(content).to.have.length(2);
      expect(content?.[0]).to.deep.include({ type: "image" });
      expect(content?.[1]).to.deep.equal({ type: "text", text: "a pixel from a file" });
    });

    it("what a tool itself calls an error is a failure that the model reads, and no fault of the connection", async () => {
      await using tools = await open({ toys: stdio() });
      const record = await tools.call("refuse", {});
      expect(record).to.deep.include({ outcome: "failed", reward: 0, metrics: {} });
      expect(record.message.content).to.equal("no such city");
    });

    it("a call that takes longer than the entry's timeout is a failure that is counted", async () => {
      await using tools = await open({ toys: stdio() }, { config: { timeout: 0.1 } });
      const record = await tools.call("hang", {});
      expect(record).to.deep.include({ outcome: "failed", reward: 0, metrics: { api_request_error: 1 } });
      expect(record.message.content).to.equal(
        'Error: the tool "hang" failed: the MCP server "toys" did not answer within 0.1 s',
      );
      expect(await tools.text("add", { a: 1, b: 1 })).to.equal("2");
    });

    it("a server that dies is a failure of the calls in flight, and the next call starts it again", async () => {
      await using tools = await open({ toys: stdio() });
      const before = await tools.text("pid", {});
      const records = await tools.calls([
        ["hang", {}],
        ["die", {}],
      ]);
      for (const { outcome, metrics, message } of records) {
        expect([outcome, metrics]).to.deep.equal(["failed", { api_request_error: 1 }]);
        expect(message.content).to.contain('the MCP server "toys" has ended');
      }
      expect(await tools.text("add", { a: 1, b: 2 })).to.equal("3");
      expect(await tools.text("pid", {})).to.not.equal(before);
    });

    it("one that sends too much is ended, which the failure says, and the next call starts it again", async () => {
      await using tools = await open({ toys: stdio() });
      expect(await tools.text("flood", {})).to.contain(
        'the MCP server "toys" has ended: it sent more at a time than is read, and was stopped',
      );
      expect(await tools.text("add", { a: 1, b: 2 })).to.equal("3");
    });

    it("that changes its list of tools keeps the one that the model was shown; one that is gone is a failure", async () => {
      await using tools = await open({ toys: stdio() });
      expect(await tools.text("swap", {})).to.equal("swapped");
      expect(tools.names).to.deep.equal(NAMES);
      const { outcome, message } = await tools.call("swap", {});
      expect(outcome).to.equal("failed");
      expect(message.content).to.contain("swap").and.contain("not found");
      expect(await tools.text("new", {})).to.contain('there is no tool "new"');
      expect(await tools.text("add", { a: 1, b: 2 })).to.equal("3");
    });

    it("that takes its time to start is waited for, up to connect_timeout_s", async () => {
      const slow = { command: process.execPath, args: [STDIO, "--slow"] };
      const { message } = await refusal({ slow }, { mcp: { connect_timeout_s: 0.3, connect_attempts: 1 } });
      expect(message).to.contain('the MCP server "slow"').and.contain("gave no list of tools in 1 attempt");
      await using tools = await open({ slow }, { mcp: { connect_timeout_s: 30, connect_attempts: 1 } });
      expect(await tools.text("add", { a: 1, b: 2 })).to.equal("3");
    });

    it("is not started again more often than once in reconnect_delay_s", async () => {
      await using tools = await open({ toys: stdio() }, { mcp: { reconnect_delay_s: 3600 } });
      await tools.call("die", {});
      expect(await tools.text("add", { a: 1, b: 2 })).to.contain('the MCP server "toys" is not running');
    });

    it("sees of the environment what its entry names, and no secret besides", async () => {
      const env = { GIVEN: "x${TOKEN}y", PLAIN: "z" };
      await using tools = await open({ toys: { ...stdio(), env } });
      const seen = JSON.parse(await tools.text("env", {})) as Record<string, string>;
      expect(seen).to.deep.include({ GIVEN: "xt0keny", PLAIN: "z" });
      expect(JSON.stringify(seen)).to.not.contain("do-not-tell");
      expect(
        Object.keys(seen).filter((name) => name in process.env && !["PATH", "GIVEN", "PLAIN"].includes(name)),
      ).to.deep.equal([]);
    });

    it("ends with the run, with whatever it started, also when it does not want to", async () => {
      const pids: number[] = [];
      const marker = `verl-mcp-${process.pid}`;
      {
        await using tools = await open({
          kind: stdio(),
          stubborn: { ...stdio("s_", "--stubborn"), env: { MARKER: marker } },
        });
        for (const name of ["pid", "s_pid"]) pids.push(Number(await tools.text(name, {})));
        expect(pids.every(isRunning)).to.equal(true);
        expect(await processesWith(marker)).to.not.deep.equal([]);
      }
      expect(pids.filter(isRunning)).to.deep.equal([]);
      expect(await processesWith(marker)).to.deep.equal([]);
    });

    it("is started as a command, not by a shell, and refused where there is no such program", async () => {
      const error = await refusal({ toys: { command: "no-such-program; touch x", args: [] } });
      expect(error.code).to.equal("VERL_MCP_NO_PROGRAM");
      expect(error.message).to.contain("there is no program no-such-program; touch x").and.not.contain("printed");
      expect(exitCodeOf(error)).to.equal(2);
    });

    it("is refused after its attempts with what it printed", async () => {
      const script = "console.error('no licence'); process.exit(1)";
      const { code, message } = await refusal({ toys: { command: process.execPath, args: ["-e", script] } });
      expect(code).to.equal("VERL_MCP_NO_CONNECTION");
      expect(message).to.contain("in 2 attempts").and.contain("no licence");
    });

    for (const [what, paging, why] of [
      ["one cursor again and again", "same", "gave one nextCursor twice"],
      ["ever new cursors", "new", "not complete within 1 s"],
    ]) {
      it(`whose list of tools has ${what} is refused`, async () => {
        const servers = { toys: { command: process.execPath, args: ["-e", ENDLESS, paging] } };
        const { code, message } = await refusal(servers, { mcp: { connect_timeout_s: 1, connect_attempts: 1 } });
        expect(code).to.equal("VERL_MCP_NO_CONNECTION");
        expect(message).to.contain(why);
      });
    }

    it("whose answers are no answers is refused with one sentence", async () => {
      const servers = { toys: { command: process.execPath, args: ["-e", ENDLESS, "none"] } };
      const { message } = await refusal(servers, { mcp: { connect_attempts: 1 } });
      expect(message).to.match(/its answer is no MCP message of this kind: .*protocolVersion.* \(and 2 more\)/);
    });

    it("that writes something else than messages is refused with the first line of it", async () => {
      const script = "process.stdin.resume(); console.log('Welcome!')";
      const servers = { toys: { command: process.execPath, args: ["-e", script] } };
      const { message } = await refusal(servers, { mcp: { connect_timeout_s: 0.5, connect_attempts: 1 } });
      expect(message).to.contain("a line of its standard output is no message").and.contain("Welcome");
    });
  });

  describe("a server at an address", () => {
    it("is called over streamable HTTP with the entry's headers", async () => {
      await using toys = await HttpToys.start();
      await using tools = await open({ toys: { url: toys.url("/mcp"), headers: { Authorization: "Basic ${TOKEN}" } } });
      expect(tools.names).to.deep.equal(NAMES);
      expect(await tools.text("add", { a: 2, b: 3 })).to.equal("5");
      expect(new Set(toys.authorizations)).to.deep.equal(new Set(["Basic t0ken"]));
    });

    it("is called over SSE with a bearer token where the entry has an auth_token", async () => {
      await using toys = await HttpToys.start();
      {
        await using tools = await open({ toys: { url: toys.url("/sse"), auth_token: "${TOKEN}" } });
        expect(await tools.text("words", {})).to.equal("one two three");
      }
      expect(new Set(toys.authorizations)).to.deep.equal(new Set(["Bearer t0ken"]));
    });

    for (const [path, how] of [
      ["/mcp", {}],
      ["/sse", { type: "sse" }],
    ] as const) {
      it(`that sends too much is a failure, which says so, and the next call begins another connection: ${path}`, async () => {
        await using toys = await HttpToys.start();
        await using tools = await open({ toys: { url: toys.url(path), ...how } });
        const { outcome, message } = await tools.call("flood", {});
        expect(outcome).to.equal("failed");
        expect(message.content).to.contain("more at a time than is read");
        expect(await tools.text("add", { a: 1, b: 2 })).to.equal("3");
      });
    }

    it("a session that the server has forgotten is a failure, and the next call begins another", async () => {
      await using toys = await HttpToys.start();
      await using tools = await open({ toys: { url: toys.url("/mcp") } });
      toys.forget();
      expect((await tools.call("add", { a: 1, b: 2 })).metrics).to.deep.equal({ api_request_error: 1 });
      expect(await tools.text("add", { a: 1, b: 2 })).to.equal("3");
    });

    it("that cannot be reached any more is a failure whose text tells the model nothing of the address", async () => {
      const toys = await HttpToys.start();
      await using tools = await open({ toys: { url: toys.url("/mcp") } });
      await toys[Symbol.asyncDispose]();
      const record = await tools.call("add", { a: 1, b: 2 });
      expect(record).to.deep.include({ outcome: "failed", metrics: { api_request_error: 1 } });
      expect(record.message.content).to.not.contain("127.0.0.1");
    });

    it("is tried again while the run begins, and not where it gives no right", async () => {
      await using toys = await HttpToys.start();
      toys.refuseWith = 503;
      const { code } = await refusal({ toys: { url: toys.url("/mcp") } });
      expect([code, toys.authorizations.length]).to.deep.equal(["VERL_MCP_NO_CONNECTION", 2]);
      toys.refuseWith = 401;
      const { message } = await refusal({
        toys: { url: `${toys.url("/mcp")}?key=s3cret`, auth_token: "x", type: "http" },
      });
      expect(message).to.contain("in 1 attempt").and.not.contain("s3cret");
    });
  });

  describe("which tools", () => {
    it("are those of tool_selected_list, where there is one", async () => {
      await using tools = await open({ toys: stdio() }, { mcp: { tool_selected_list: ["words", "add"] } });
      expect(tools.names).to.deep.equal(["add", "words"]);
      const { code, message } = await refusal({ toys: stdio() }, { mcp: { tool_selected_list: ["add", "ad"] } });
      expect(code).to.equal("VERL_MCP_TOOL_NAMES");
      expect(message).to.contain("no server has the tools ad").and.contain("add, words");
    });

    it("are those of all servers, unless two have one name", async () => {
      await using tools = await open({ one: stdio("a_"), two: stdio("b_") });
      expect(tools.names).to.deep.equal([...NAMES.map((name) => `a_${name}`), ...NAMES.map((name) => `b_${name}`)]);
      const { code, message } = await refusal({ one: stdio(), two: stdio() });
      expect(code).to.equal("VERL_MCP_TOOL_NAMES");
      expect(message).to.contain('the servers "one" and "two" both have a tool "add"');
    });
  });

  it("refuses files and options that say nothing of use", async () => {
    const codes = async (...args: Parameters<typeof entry>) => (await refusal(...args)).code;
    for (const server of [{}, { command: "x", url: "http://x" }, { url: "ftp://x" }, { command: "x", type: "sse" }]) {
      expect(await codes({ toys: server }), JSON.stringify(server)).to.equal("VERL_MCP_BAD_SERVERS");
    }
    expect(await codes({})).to.equal("VERL_MCP_BAD_SERVERS");
    const twice = path.join(await mkdtemp(path.join(tmpdir(), "verl-mcp-")), "servers.json");
    await writeFile(twice, '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}');
    expect((await errorOf(readServers(twice, {}))).message).to.include('the key "a" has two values');
    await rm(path.dirname(twice), { recursive: true });
    expect(await codes({ toys: { ...stdio(), disabled: true } })).to.equal("VERL_MCP_BAD_SERVERS");
    expect(await codes({ toys: { url: "http://x/${NOT_SET}" } })).to.equal("VERL_MCP_BAD_SERVERS");
    expect(await codes({ toys: stdio() }, { mcp: { mcp_servers_config_path: "none.json" } })).to.equal(
      "VERL_MCP_BAD_SERVERS",
    );
    expect(await codes({ toys: stdio() }, { config: { timeout: 0 } })).to.equal("VERL_TOOL_BAD_OPTION");
    expect(await codes({ toys: stdio() }, { mcp: { tool_selected_lst: [] } })).to.equal("VERL_TOOL_BAD_OPTION");
  });

  it("an abort ends the attempts to connect", async () => {
    const abort = new AbortController();
    const reason = new Error("stopped");
    const options = await entry({ toys: { url: "http://127.0.0.1:9" } }, { mcp: { connect_delay_s: 3600 } });
    const logger = { info() {}, warn() {}, error() {}, debug: () => abort.abort(reason) };
    const opening = OpenedTools.of(mcpTools, { ...options, signal: abort.signal, logger });
    expect(await errorOf(opening)).to.equal(reason);
  });

  after(() => rm(folder, { recursive: true }));
  runConformance(
    "as a tool",
    toolConformance({
      factory: mcpTools,
      options: {
        config: { timeout: 0.5 },
        sections: { mcp: { mcp_servers_config_path: file, tool_selected_list: ["add", "words"] } },
        env: ENV,
      },
      calls: [
        { tool: "add", args: { a: 1, b: 2 } },
        { tool: "words", args: {} },
      ],
    }),
    { describe, it },
  );
});
