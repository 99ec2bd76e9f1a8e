import { expect } from "chai";
import { codedError, document } from "../support.js";

const fault = (text: string, env = {}) => codedError(() => document(text, [], env));

describe("core/config/compose/references", () => {
  it("keeps the type alone and spells values as Python does inside text", () => {
    const text =
      "n: 1e-6\nf: 2.0\ni: 3\nt: true\nz: null\nl: [1, a, 0.5]\nw: ${l}\nx: '${n} ${f} ${i} ${t} ${z} ${l}'\n";
    const { w, x } = document(text) as Record<string, unknown>;
    expect(w).to.deep.equal([1, "a", 0.5]);
    expect(x).to.equal("1e-06 2.0 3 True None [1, 'a', 0.5]");
  });

  it("looks up relative keys, list items and computed names", () => {
    const text =
      "a: {b: {c: '${.d}', d: 1, e: '${..f}'}, f: 2}\nl: [x, {y: 7}]\ni: '${l[1].y} ${l.0}'\nname: f\nj: ${a.${name}}\n";
    expect(document(text)).to.deep.include({ a: { b: { c: 1, d: 1, e: 2 }, f: 2 }, i: "7 x", j: 2 });
  });

  it("blames the value that stands where a section should be, not the reference", async () => {
    const error = await fault("a: 5\nb: {c: '${a.d}'}\n");
    expect(error.what).to.equal("a must be a section of keys.");
    expect(error.where).to.include("config.yaml:1:4");
  });

  it("follows references through references to sections", () => {
    expect(document("a: ${b}\nb: {c: 5}\nd: ${a.c}\n")).to.deep.include({ d: 5 });
  });

  it("reads the environment as text, with defaults", () => {
    const env = { N: "5", EMPTY: "" };
    const text =
      "a: ${oc.env:N}\nb: ${oc.env:EMPTY,x}\nc: ${oc.env:NO,null}\nd: ${oc.env:NO,${oc.env:N}}\ne: ${oc.env:NO,'a, b}'}\nf: ${oc.env:NO,8}\n";
    expect(document(text, [], env)).to.deep.equal({ a: "5", b: "", c: null, d: "5", e: "a, b}", f: "8" });
  });

  it("spells unquoted defaults of the environment as Python does, and keeps quoted ones", () => {
    const text = "a: ${oc.env:NO,true}\nb: ${oc.env:NO,[1, x]}\nc: ${oc.env:NO,'true'}\nd: ${oc.env:NO,/a/b-c;d}\n";
    expect(document(text)).to.deep.equal({ a: "True", b: "[1, 'x']", c: "true", d: "/a/b-c;d" });
  });

  it("decodes text and selects what may be missing", () => {
    const text = "a: ${oc.decode:${oc.env:LR}}\nb: ${oc.select:no.such,7}\nc: ${oc.select:a}\n";
    expect(document(text, [], { LR: "1e-6" })).to.deep.equal({ a: 1e-6, b: 7, c: 1e-6 });
  });

  it("leaves an escaped reference as text", () => {
    expect(document("a: '\\${b}'\nb: 1\nc: 'x\\\\${b}'\n")).to.deep.equal({ a: "${b}", b: 1, c: "x\\1" });
  });

  it("names the key that refers to nothing, or in a circle", async () => {
    const lost = await fault("a:\n  b: ${c.d}\n");
    expect(lost.message).to.contain("refers to c.d");
    expect(lost.where).to.equal("a.b (config.yaml:2:6)");
    expect((await fault("a: ${b}\nb: x${c}\nc: ${a}\n")).message).to.contain("a -> b -> c -> a");
    expect((await fault("a: {b: '${a}'}\n")).message).to.contain("circle");
    expect((await fault("a: ${oc.env:NO_SUCH}\n")).message).to.contain("NO_SUCH");
    expect((await fault("a: ${now:%Y}\n")).message).to.contain('"now"');
    expect((await fault("a: '${b'\nb: 1\n")).message).to.contain("not closed");
  });
});
