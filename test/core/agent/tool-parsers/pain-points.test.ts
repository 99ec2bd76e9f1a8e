import { expect } from "chai";
import { BUILTINS } from "../../../../cli/builtins.js";
import { parseToolCalls } from "../../../../core/agent/index.js";
import { createHost } from "../../../../core/index.js";
import { definePlugin, isVerlError, type ToolParser } from "../../../../core/plugin.js";
import { parserNamed, turnOf } from "./support.js";

/** Faults that users of other frameworks met, named as in the project's list of them. */
describe("agent/tool-parsers: faults known from elsewhere", () => {
  it("T1: a closing tag inside a JSON string does not cut the call", () => {
    const args = '{"cmd":"echo </tool_call> test"}';
    expect(turnOf("hermes", `<tool_call>{"name":"bash","arguments":${args}}</tool_call>`).calls).to.deep.equal([
      `bash ${args}`,
    ]);
  });

  it("T2: a call sketched inside a thought is not executed", () => {
    const call = '<tool_call>{"name":"A","arguments":{}}</tool_call>';
    const { calls, reasoning } = turnOf("hermes", `<think>let me call A ${call} ok</think>${call}`);
    expect(calls).to.deep.equal(["A {}"]);
    expect(reasoning).to.equal(`let me call A ${call} ok`);
  });

  it("T3: malformed arguments are an error that names the tool, not a crash", () => {
    const text = '<tool_call>{"name": "bash", "arguments": {"cmd": "ls" "x"}}</tool_call>';
    const { calls, errors } = parseToolCalls(parserNamed("hermes"), text);
    expect(calls).to.deep.equal([]);
    expect(errors.map(({ index, name }) => [index, name])).to.deep.equal([[0, "bash"]]);
    expect(errors[0].message).to.contain("bash").and.contain("not JSON");
  });

  it("T6: half a call at the end of a turn is none", () => {
    const text = '<tool_call>{"name":"a","arguments":{}}</tool_call><tool_call>{"name":"b","argum';
    expect(turnOf("hermes", text).calls).to.deep.equal(["a {}"]);
  });

  describe("T7: names", () => {
    it("finds a built-in parser without any engine", async () => {
      const host = await createHost({ env: {}, builtins: BUILTINS });
      const parser = host.registries.toolParsers.require("hermes");
      expect(parseToolCalls(parser, '<tool_call>{"name":"a","arguments":{}}</tool_call>').calls).to.have.length(1);
      await host.dispose();
    });

    it("refuses an unknown name and lists the known ones", async () => {
      const host = await createHost({ env: {}, builtins: BUILTINS });
      const error = thrownBy(() => host.registries.toolParsers.require("does-not-exist"));
      expect(isVerlError(error) && error.code).to.equal("VERL_REGISTRY_UNKNOWN");
      for (const name of [
        "hermes",
        "qwen3_coder",
        "gpt-oss",
        "glm",
        "seed",
        "minimax",
        "kimi",
        "deepseek_v4",
        "gemma4",
      ]) {
        expect(String(error)).to.contain(name);
      }
      await host.dispose();
    });

    it("finds a parser of a plugin, which must be one", async () => {
      const plugin = (parser: object) =>
        definePlugin({
          name: "acme",
          apiVersion: "^1.0.0",
          provides: ["toolParser"],
          register: (host) => host.toolParsers.register(parser as ToolParser),
        });
      const own = { ...parserNamed("hermes"), name: "acme" };
      const host = await createHost({ env: {}, builtins: [...BUILTINS, plugin(own)] });
      expect(host.registries.toolParsers.require("acme")).to.equal(own);
      await host.dispose();
      for (const wrong of [{ name: "acme" }, { name: "acme", create() {} }]) {
        const error = await createHost({ env: {}, builtins: [...BUILTINS, plugin(wrong)] }).catch((e: unknown) => e);
        expect(isVerlError(error) && error.code).to.equal("VERL_PLUGIN_BAD_ITEM");
      }
    });
  });
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return null;
}
