import { expect } from "chai";
import { exampleFile, PackedWorkspace } from "./workspace.js";

describe("plugins installed from packed tarballs, outside of the repository", function () {
  this.timeout(300_000);
  let workspace: PackedWorkspace;
  before(() => {
    workspace = new PackedWorkspace(["hardware"]);
  });
  after(() => workspace?.remove());

  const on = { VERL_USE_EXTERNAL_MODULES: "verl-acme-npu" };
  const json = (text: string) => JSON.parse(text) as Record<string, never>;

  it("are listed as installed and not loaded without an environment variable", () => {
    const { status, stdout } = workspace.verl(["plugins", "list", "--json"]);
    expect(status).to.equal(0);
    expect(json(stdout)).to.deep.include({ plugins: [], failed: [] });
    expect(json(stdout)).to.have.nested.property("available[0].name", "verl-acme-npu");
  });

  it("are loaded by VERL_USE_EXTERNAL_MODULES", () => {
    const { status, stdout, stderr } = workspace.verl(["plugins", "tree"], on);
    expect(stderr).to.equal("");
    expect(status).to.equal(0);
    expect(stdout).to.include("verl-acme-npu@0.1.0");
    expect(stdout).to.include("platform: acme").and.to.include("engine: language_model/onnx/acme-npu/acme");
  });

  it("are loaded by VERL_USE_EXTERNAL_PLUGINS, by name or all", () => {
    for (const policy of ["auto", "verl-acme-npu"]) {
      const { stdout } = workspace.verl(["plugins", "list", "--json"], { VERL_USE_EXTERNAL_PLUGINS: policy });
      expect(json(stdout)).to.have.nested.property("plugins[0].name", "verl-acme-npu");
    }
  });

  it("show their probe to the doctor, and the platform that VERL_PLATFORM names", () => {
    const { status, stdout } = workspace.verl(["plugins", "doctor"], { ...on, VERL_PLATFORM: "acme" });
    expect(status).to.equal(0);
    expect(stdout).to.match(/platform acme: usable: .*\(named by VERL_PLATFORM\)/);
  });

  it("are missed when the platform is named without them", () => {
    const { status, stdout } = workspace.verl(["plugins", "doctor"], { VERL_PLATFORM: "acme" });
    expect(status).to.equal(2);
    expect(stdout).to.include("platform acme: named by VERL_PLATFORM, not registered");
  });

  it("pass the conformance suites that they bring, under Node's own test runner", () => {
    const test = "node_modules/verl-acme-npu/test/conformance.test.js";
    workspace.write(test, exampleFile("hardware/test/conformance.test.js"));
    const { status, stdout } = workspace.node(["--test", test]);
    expect(stdout).to.match(/# fail 0/);
    expect(status).to.equal(0);
  });
});
