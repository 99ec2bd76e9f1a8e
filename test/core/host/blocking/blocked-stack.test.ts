import { expect } from "chai";
import { type BlockedFrame, foreignFrame } from "../../../../core/host/blocking/blocked-stack.js";
import { thisInstallation } from "../../../../core/host/blocking/installation.js";

const here = thisInstallation();
const frame = (url: string): BlockedFrame => ({ name: "f", url, line: 1, column: 1 });
const ours = frame(`${here.root}core/agent/sessions/session.js`);
const dependency = frame("file:///home/u/node_modules/yaml/dist/parse.js");
const library = frame("file:///home/u/node_modules/@scope/endless/index.js");
const user = frame("file:///home/u/my run/tools.mjs");
const wasm = frame("wasm://wasm/123");
const inner = frame("node:internal/timers");

describe("whose code holds the thread", () => {
  it("is ours where only we, Node.js and packages that we brought are on the stack", () => {
    expect(foreignFrame([wasm, dependency, ours, frame(""), inner], here)).to.equal(null);
  });

  it("is somebody's whose file is on the stack, also where it calls ours", () => {
    expect(foreignFrame([ours, user, ours, inner], here)).to.equal(user);
  });

  it("is that of a package which we did not bring", () => {
    expect(foreignFrame([dependency, library, user], here)).to.equal(library);
  });
});
