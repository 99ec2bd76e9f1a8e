import { expect } from "chai";
import { satisfiesApi } from "../../../../core/host/loading/manifest.js";
import { Bench } from "../support/hosts.js";

/** Throws when it is run: a manifest is judged before that. */
const explosive = { "register.js": "throw new Error('this code ran');" };

describe("plugin manifest", () => {
  const bench = new Bench();
  afterEach(() => bench.clean());

  it("is needed, and the refusal shows the lines to add", async () => {
    const error = await bench.failure(bench.project().install("lib", { verl: null, files: explosive }), "lib");
    expect(error.code).to.equal("VERL_PLUGIN_NO_MANIFEST");
    expect(error.fix).to.include('"verl": { "apiVersion": "^1.0.0", "register": "./dist/register.js"');
  });

  const wrong: [what: string, verl: object, pointer: string][] = [
    ["apiVersion is absent", { apiVersion: undefined }, "/verl/apiVersion"],
    ["apiVersion is no range", { apiVersion: "newest" }, "/verl/apiVersion"],
    ["register leaves the package", { register: "../other.js" }, "/verl/register"],
    ["register leaves the package by a detour", { register: "./a/../../other.js" }, "/verl/register"],
    ["provides is absent", { provides: undefined }, "/verl/provides"],
    ["provides holds an unknown kind", { provides: ["hooks", "motor"] }, "/verl/provides/1"],
    ["processes holds an unknown role", { processes: ["driver", "cook"] }, "/verl/processes"],
    ["a key is unknown", { aftre: [] }, "/verl/aftre"],
    ["the schema is absent", { configSchema: "./schema.json" }, "/verl/configSchema"],
  ];
  for (const [what, verl, pointer] of wrong) {
    it(`is refused before any code runs when ${what}`, async () => {
      const error = await bench.failure(bench.project().install("p", { verl, files: explosive }), "p");
      expect(error.code).to.equal("VERL_PLUGIN_BAD_MANIFEST");
      expect(error.data).to.deep.equal({ package: "p", pointer });
    });
  }

  it("is refused when package.json is no JSON", async () => {
    const project = bench.project().write({ "node_modules/p/package.json": "{" });
    expect((await bench.failure(project, "p")).code).to.equal("VERL_PLUGIN_BAD_MANIFEST");
  });

  it("names the nearest key and kind", async () => {
    const project = bench
      .project()
      .install("a", { verl: { aftre: [] } })
      .install("b", { verl: { provides: ["engines"] } });
    expect((await bench.failure(project, "a")).why).to.include('Did you mean "after"?');
    expect((await bench.failure(project, "b")).why).to.include('Did you mean "engine"?');
  });

  it("with another API version is refused before import, showing both versions", async () => {
    // A manifest of the future may hold keys that are unknown today; the version is what to complain about.
    const verl = { apiVersion: "^2.0.0", sandbox: true };
    const error = await bench.failure(bench.project().install("future", { verl, files: explosive }), "future");
    expect(error.code).to.equal("VERL_PLUGIN_API_VERSION");
    expect(error.data).to.deep.equal({ required: "^2.0.0", offered: "1.0.0" });
  });

  it("offers its configuration schema without running the plugin", async () => {
    const schema = { type: "object", properties: { acme: { type: "object" } } };
    const project = bench
      .project()
      .install("p", { verl: { configSchema: "./schema.json" }, files: { "schema.json": schema } });
    const host = await bench.host(project, "p");
    expect(host.configSchemas).to.deep.equal([{ plugin: "p", schema }]);
  });
});

describe("API version", () => {
  const cases: [offered: string, range: string, ok: boolean][] = [
    ["1.0.0", "^1.0.0", true],
    ["1.4.0", "^1.0.0", true],
    ["1.0.0", "^1.1.0", false],
    ["2.0.0", "^1.0.0", false],
    ["1.1.0-rc.1", "^1.0.0", true],
    ["1.1.0-rc.1", "^1.1.0", true],
    ["2.0.0-rc.1", "^1.0.0", false],
    ["1.0.0", ">=1.0.0-rc.1 <2", true],
  ];
  for (const [offered, range, ok] of cases) {
    it(`${offered} ${ok ? "serves" : "does not serve"} ${range}`, () => {
      expect(satisfiesApi(offered, range)).to.equal(ok);
    });
  }
});
