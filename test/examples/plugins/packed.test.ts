import { expect } from "chai";
import { stepMetrics, writeTinyRun } from "./tiny-run.js";
import { exampleFile, PackedWorkspace } from "./workspace.js";

const HARDWARE = { VERL_USE_EXTERNAL_MODULES: "verl-acme-npu" };
const INFERENCE = { VERL_USE_EXTERNAL_MODULES: "verl-plainjs" };
/** Largest difference that sampler and trainer may have on a token, in nats. */
const MAX_GAP = 1e-4;

describe("plugins installed from packed tarballs, outside of the repository", function () {
  this.timeout(600_000);
  let workspace: PackedWorkspace;
  before(() => {
    workspace = new PackedWorkspace(["hardware", "inference"]);
    writeTinyRun(workspace);
  });
  after(() => workspace?.remove());

  const json = (text: string) => JSON.parse(text) as Record<string, never>;
  /** Trains, with nothing but environment variables that differ from one call to the next. */
  const train = (folder: string, env: Record<string, string>) => ({
    ...workspace.verl(["train", "run.yaml", `trainer.output_dir=${folder}`], env),
    steps: () => stepMetrics(workspace, folder),
  });

  it("are listed as installed, and not loaded, without an environment variable", () => {
    const { status, stdout } = workspace.verl(["plugins", "list", "--json"]);
    expect(status).to.equal(0);
    expect(json(stdout)).to.deep.include({ plugins: [], failed: [] });
    expect(json(stdout)).to.have.nested.property("available[0].name", "verl-acme-npu");
  });

  it("are loaded by VERL_USE_EXTERNAL_MODULES", () => {
    const { status, stdout } = workspace.verl(["plugins", "tree"], HARDWARE);
    expect(status).to.equal(0);
    expect(stdout).to.include("verl-acme-npu@0.1.0");
    expect(stdout).to.include("platform: acme").and.to.include("engine: language_model/onnx/acme-npu/acme");
  });

  it("are loaded by VERL_USE_EXTERNAL_PLUGINS", () => {
    const { stdout } = workspace.verl(["plugins", "list", "--json"], { VERL_USE_EXTERNAL_PLUGINS: "auto" });
    expect(json(stdout)).to.have.nested.property("plugins[0].name", "verl-acme-npu");
  });

  it("pass the conformance suites that they bring, under Node's own test runner", () => {
    const tests = {
      "node_modules/verl-acme-npu/test/conformance.test.js": "hardware/test/conformance.test.js",
      "node_modules/verl-plainjs/test/plainjs.test.js": "inference/test/plainjs.test.js",
    };
    const files = Object.entries(tests).map(([file, source]) => workspace.write(file, exampleFile(source)));
    const { status, stdout } = workspace.node(["--test", ...files]);
    expect(stdout).to.match(/^(#|ℹ) fail 0$/m);
    expect(status).to.equal(0);
  });

  it("leave a run alone that does not name them", () => {
    const { status, stderr, steps } = train("plain", {});
    expect(stderr).not.to.include("acme");
    expect(status).to.equal(0);
    expect(steps()).to.have.length(2);
    expect(steps()[1]).not.to.have.property("acme/memory_used_gb");
  });

  it("train on the plugin's platform, engine and hook when VERL_PLATFORM names it", () => {
    const { status, stderr, steps } = train("acme", { ...HARDWARE, VERL_PLATFORM: "acme" });
    expect(status, stderr).to.equal(0);
    expect(stderr).to.match(/plugin verl-acme-npu@0\.1\.0 [0-9a-f]{12} from /);
    expect(stderr).to.include("the engine computes on the host's processors");
    expect(steps()[1]["acme/memory_used_gb"]).to.be.greaterThan(0);
  });

  it("train on the cpu when they are loaded and not named", () => {
    const { status, stderr, steps } = train("loaded", HARDWARE);
    expect(status, stderr).to.equal(0);
    expect(steps()[1]).not.to.have.property("acme/memory_used_gb");
  });

  it("are missed when their platform is named without them", () => {
    const { status, stderr } = train("missed", { VERL_PLATFORM: "acme" });
    expect(status).to.equal(2);
    expect(stderr)
      .to.include("VERL_PLATFORM_UNKNOWN")
      .and.to.match(/Known: ([a-z]+, )*cpu\b/);
  });

  it("sample with the plugin's inference server when VERL_ROLLOUT names it, and trainer and sampler agree", () => {
    const { status, stderr, steps } = train("plainjs", { ...INFERENCE, VERL_ROLLOUT: "plainjs" });
    expect(status, stderr).to.equal(0);
    for (const metrics of steps()) {
      expect(metrics["training/sampler_gap/max"]).to.be.greaterThan(0).and.to.be.at.most(MAX_GAP);
    }
  });

  it("are missed when their rollout is named without them", () => {
    const { status, stderr } = train("no-plainjs", { VERL_ROLLOUT: "plainjs" });
    expect(status).to.equal(2);
    expect(stderr).to.include('"plainjs": no such name is registered').and.to.include("environment VERL_ROLLOUT");
  });

  it("work together", () => {
    const env = {
      VERL_USE_EXTERNAL_MODULES: "verl-acme-npu,verl-plainjs",
      VERL_PLATFORM: "acme",
      VERL_ROLLOUT: "plainjs",
    };
    const { status, stderr, steps } = train("both", env);
    expect(status, stderr).to.equal(0);
    expect(steps()[1]["acme/memory_used_gb"]).to.be.greaterThan(0);
    expect(steps()[1]["training/sampler_gap/max"]).to.be.at.most(MAX_GAP);
  });

  it("say what to install for a plugin in TypeScript where there is no loader", () => {
    const run = () => workspace.verl(["plugins", "tree"], { VERL_USE_EXTERNAL_MODULES: "./local.ts" });
    workspace.write("local.ts", "export const nothing: number = 1;\n");
    const { stdout } = run();
    const strips = Boolean((process.features as { typescript?: unknown }).typescript);
    expect(stdout).to.include(strips ? "VERL_PLUGIN_NO_REGISTER" : "npm install --save-dev tsx");
  });
});
