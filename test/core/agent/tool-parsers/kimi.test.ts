import { expect } from "chai";
import { prose, tool, turnOf } from "./support.js";

const TOOLS = [tool("get_weather", { city: {}, days: {} }, ["city"]), tool("search", { q: {} }, ["q"]), tool("ping")];
const parse = (text: string, tools = TOOLS) => turnOf("kimi", text, { tools });
const call = (id: string, args: string) =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;
const BEGIN = "<|tool_calls_section_begin|>";
const END = "<|tool_calls_section_end|>";

describe("agent/tool-parsers: kimi", () => {
  it("reads a section", () => {
    const text = `Hold on.${BEGIN}${call("functions.get_weather:0", '{"city":"Turku"}')}\n${call(" functions.search:1 ", '{"q": 1}')}${END}<|im_end|>`;
    expect(parse(text)).to.deep.equal({
      ...prose("Hold on."),
      calls: ['get_weather {"city":"Turku"} #functions.get_weather:0', 'search {"q": 1} #functions.search:1'],
    });
  });

  it("needs no end of the section, but its beginning", () => {
    expect(parse(`a${BEGIN}${call("functions.ping:3", "{}")}`).calls).to.deep.equal(["ping {} #functions.ping:3"]);
    const text = `no section ${call("functions.search:0", '{"q":"x"}')}`;
    expect(parse(text)).to.deep.equal(prose(text));
    expect(parse(`a${BEGIN}${END}b${call("functions.ping:0", "{}")}`)).to.deep.equal(prose("a"));
  });

  it("drops a call that the text cuts off", () => {
    const text = `a${BEGIN}${call("functions.search:0", '{"q":"say \\"hi\\"\\n{x}"}')}<|tool_call_begin|>functions.search:1<|tool_call_argument_begin|>{"q":`;
    expect(parse(text)).to.deep.equal({
      ...prose("a"),
      calls: ['search {"q":"say \\"hi\\"\\n{x}"} #functions.search:0'],
    });
    expect(parse(`a${BEGIN}<|tool_call_begin|>functions.sea`)).to.deep.equal(prose("a"));
  });

  for (const [id, args, name] of [
    ["functions.search:0", "{}", "search"],
    ["functions.search", "{}", "search"],
    ["search:12", "{}", "search"],
    ["search", "{}", "search"],
    ["functions.Get-Weather:0", "{}", "get_weather"],
    ["call-get-weather-2", "{}", "get_weather"],
    ["functions.unheard:0", '{"q":1}', "unheard"],
    ["call_77", '{"q":"ferry"}', "search"],
    ["call_77", '{"city":1,"days":2,"x":3}', "get_weather"],
    ["call_77", '{"q":1,"city":2}', "call_77"],
    ["call_77", "{}", "call_77"],
    ["", '{"q":1}', "search"],
  ] as const) {
    it(`finds ${name} for the id ${JSON.stringify(id)} and ${args}`, () => {
      const expected = `${name} ${args}${id === "" ? "" : ` #${id}`}`;
      expect(parse(`${BEGIN}${call(id, args)}${END}`).calls).to.deep.equal([expected]);
    });
  }

  it("prefers the longest name that an id holds", () => {
    const tools = [tool("search"), tool("search_web"), tool("web")];
    expect(parse(`${BEGIN}${call("call_search_web_1", "{}")}`, tools).calls).to.deep.equal([
      "search_web {} #call_search_web_1",
    ]);
  });

  it("takes the name from the id if no tools are known", () => {
    expect(parse(`${BEGIN}${call("functions.a_b:7", "{}")}`, []).calls).to.deep.equal(["a_b {} #functions.a_b:7"]);
  });

  it("reports malformed calls and goes on", () => {
    const text = [
      call("functions.search:0", "not json"),
      "<|tool_call_begin|>functions.ping:1<|tool_call_end|>",
      "<|tool_call_begin|>functions.ping:2<|tool_call_argument_begin|>{}",
      call("", "{}"),
      call("functions.ping:4", "{}"),
      "<|tool_call_begin|>functions.ping:5<|tool_call_argument_begin|>{}",
    ].join("");
    expect(parse(`${BEGIN}${text}${END}`)).to.deep.equal({
      ...prose(""),
      calls: ["ping {} #functions.ping:4"],
      errors: ["0 search", "1 ping", "2 ping", "3 null", "5 ping"],
    });
  });

  it("reads tags inside a string as part of it", () => {
    const args = '{"q":"<|tool_call_end|><|tool_calls_section_end|>"}';
    expect(parse(`${BEGIN}${call("functions.search:0", args)}`).calls).to.deep.equal([
      `search ${args} #functions.search:0`,
    ]);
  });

  it("is not led astray by a string without its end", () => {
    const text = `${call("functions.search:0", '{"q":"x}')}${call("functions.search:1", '{"q":"y"}')}`;
    expect(parse(`${BEGIN}${text}${END}`)).to.deep.equal({
      ...prose(""),
      calls: ['search {"q":"y"} #functions.search:1'],
      errors: ["0 search"],
    });
  });

  it("reads several sections, and none inside a thought", () => {
    const section = `${BEGIN}${call("functions.ping:0", "{}")}${END}`;
    expect(parse(`<think>${section}</think>a${section}b${section}`)).to.deep.equal({
      ...prose("a"),
      reasoning: section,
      calls: ["ping {} #functions.ping:0", "ping {} #functions.ping:0"],
    });
  });
});
