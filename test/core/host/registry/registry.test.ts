import { expect } from "chai";
import { definePlugin } from "../../../../core/plugin.js";
import { Bench, rejection } from "../support/hosts.js";
import { type Project, registers } from "../support/project.js";

const overriding = (key: string) =>
  `export function register(host) { host.hooks.register({ name: "${key}", onStepEnd() {} }, { override: true }); }`;

describe("registries", () => {
  const bench = new Bench();
  let project: Project;
  beforeEach(() => {
    project = bench.project();
  });
  afterEach(() => bench.clean());

  it("name both owners and versions of a duplicate", async () => {
    project.install("one", { files: { "register.js": registers("same") } });
    project.install("two", { version: "2.0.0", files: { "register.js": registers("same") } });
    const error = await bench.failure(project, "one,two");
    expect(error.code).to.equal("VERL_PLUGIN_DUPLICATE");
    expect(error.what).to.include("one@1.0.0").and.to.include("two@2.0.0");
  });

  it("keep nothing of a plugin that collides with an earlier one", async () => {
    project.install("one", { files: { "register.js": registers("same") } });
    const both = `export function register(host) { for (const name of ["new", "same"]) host.hooks.register({ name, onStepEnd() {} }); }`;
    project.install("two", { files: { "register.js": both } });
    const host = await bench.host(project, "one,two", { allowBrokenPlugins: true });
    expect(host.registries.hooks.keys()).to.deep.equal(["same"]);
    expect(host.report.failures[0]).to.include({ phase: "commit" });
  });

  it("let a plugin replace a key openly, and record it", async () => {
    project.install("one", { files: { "register.js": registers("same") } });
    project.install("two", { files: { "register.js": overriding("same") } });
    const host = await bench.host(project, "one,two");
    expect(host.registries.hooks.ownerOf("same")?.name).to.equal("two");
    expect(host.registries.hooks.items()).to.have.length(1);
    expect(host.report.overrides).to.deep.equal([
      { kind: "hooks", key: "same", from: { name: "one", version: "1.0.0" }, to: { name: "two", version: "1.0.0" } },
    ]);
    expect(bench.log.join()).to.include('hooks "same": two@1.0.0 replaces one@1.0.0');
  });

  it("let a plugin replace a built-in", async () => {
    const create = `create: () => ({ probe: () => ({ status: "yes", reason: "mine" }), aliases: [], vendorName: "cpu", deviceName: "cpu" })`;
    const files = {
      "register.js": `export function register(host) { host.platforms.register({ vendorName: "cpu", ${create} }, { override: true }); }`,
    };
    project.install("my-cpu", { verl: { provides: ["platform"] }, files });
    const host = await bench.host(project, "my-cpu");
    expect(host.registries.platforms.ownerOf("cpu")?.name).to.equal("my-cpu");
  });

  it("take the same key of the same package and version twice", async () => {
    project.install("p", { files: { "again.js": registers("p") } });
    const host = await bench.host(project, "p,p/again.js");
    expect(host.registries.hooks.items()).to.have.length(1);
  });

  it("refuse one key twice from one register", async () => {
    project.install("p", {
      files: { "register.js": registers("p", "host.hooks.register({ name: 'p', onStepEnd() {} });") },
    });
    expect((await bench.failure(project, "p")).code).to.equal("VERL_PLUGIN_DUPLICATE");
  });

  it("refuse two versions of one plugin, naming both folders", async () => {
    project.install("p").install("host-of-p");
    project.write({
      "node_modules/host-of-p/node_modules/p/package.json": {
        name: "p",
        version: "2.0.0",
        type: "module",
        verl: { apiVersion: "^1.0.0", register: "./register.js", provides: ["hooks"] },
      },
      "node_modules/host-of-p/node_modules/p/register.js": registers("p"),
    });
    const error = await bench.failure(project, "p,./node_modules/host-of-p/node_modules/p");
    expect(error.code).to.equal("VERL_PLUGIN_TWO_VERSIONS");
    expect(error.where).to.include(project.path("node_modules/p"));
    expect(error.what).to.include("1.0.0").and.to.include("2.0.0");
  });

  it("warn about two copies of one version and use the first", async () => {
    project.install("p");
    project.write({
      "copy/package.json": {
        name: "p",
        version: "1.0.0",
        type: "module",
        verl: { apiVersion: "^1.0.0", register: "./register.js", provides: ["hooks"] },
      },
      "copy/register.js": "throw new Error('the copy ran');",
    });
    const host = await bench.host(project, "p,./copy");
    expect(host.registries.hooks.keys()).to.deep.equal(["p"]);
    expect(bench.log.join()).to.include("installed twice").and.to.include(project.path("copy"));
  });

  it("answer an unknown name with the known ones and the nearest", async () => {
    const host = await bench.host(project.install("logger"), "logger");
    expect(() => host.registries.hooks.require("loger"))
      .to.throw("VERL_REGISTRY_UNKNOWN")
      .with.property("message")
      .that.includes('Did you mean "logger"?')
      .and.includes("Known: logger.");
  });

  it("cannot be written by those who read them", async () => {
    const { registries } = await bench.host(project, "");
    expect(Object.keys(registries.hooks).sort()).to.deep.equal(["get", "items", "keys", "kind", "ownerOf", "require"]);
    expect(registries).to.be.frozen;
    expect(registries.hooks).to.be.frozen;
  });

  it("freeze when the services are made", async () => {
    project.write({ "hooks.js": "export function onStepEnd() {}" });
    const host = await bench.host(project, "");
    await host.services();
    expect((await rejection(host.registerUserHooks(["./hooks.js"]))).code).to.equal("VERL_PLUGIN_LATE");
  });

  it("commit the platforms of all plugins before everything else", async () => {
    const order: string[] = [];
    const spy = (name: string) =>
      definePlugin({
        name,
        apiVersion: "^1.0.0",
        provides: ["hooks", "platform"],
        register(host) {
          order.push(`${name} registers`);
          host.hooks.register({ name });
          host.platforms.register({ vendorName: name, create: () => ({ vendorName: name }) as never });
        },
      });
    const host = await bench.host(project, "", { builtins: [spy("a"), spy("b")] });
    expect(order).to.deep.equal(["a registers", "b registers"]);
    expect(host.registries.platforms.keys()).to.deep.equal(["a", "b"]);
    expect(host.registries.hooks.keys()).to.deep.equal(["a", "b"]);
  });
});
