import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { demand, npm, npmPack, repository, run } from "../examples/plugins/workspace.js";

describe("npm create verl-ts, from packed tarballs", function () {
  this.timeout(600_000);
  let root = "";
  const at = (...parts: string[]) => path.join(root, ...parts);
  const node = (args: readonly string[], cwd: string) => run(process.execPath, args, cwd, process.env);
  const create = (...args: string[]) => node([at("fetched/node_modules/create-verl-ts/dist/main.js"), ...args], root);

  before(() => {
    root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "verl-create-")));
    demand(node([path.join(repository, "scripts/create-package.mjs"), at("package")], repository), "create-package");
    fs.mkdirSync(at("fetched"));
    const tarball = npmPack(at("package"), root);
    expect(fs.statSync(tarball).size, "fetched on every `npm create`").to.be.below(30_000);
    npm(["install", "--offline", "--no-audit", "--no-fund", "--prefix", at("fetched"), tarball], root);
  });
  after(() => fs.rmSync(root, { recursive: true, force: true }));

  it("has no dependency: it is there in a moment", () => {
    expect(fs.readdirSync(at("fetched/node_modules")).filter((name) => !name.startsWith("."))).to.deep.equal([
      "create-verl-ts",
    ]);
  });

  it("writes a project whose own test passes with the packed verl-ts", () => {
    demand(create("my-run"), "create-verl-ts my-run");
    const file = at("my-run/package.json");
    const { devDependencies, ...packageJson } = JSON.parse(fs.readFileSync(file, "utf8")) as {
      devDependencies: Record<string, string>;
      allowScripts: Record<string, boolean>;
    };
    expect(packageJson.allowScripts).to.include({ "onnxruntime-node": false });
    // The tools for TypeScript are this repository's: nothing new is to be fetched.
    fs.writeFileSync(file, JSON.stringify(packageJson));
    npm(["install", "--prefer-offline", "--no-audit", "--no-fund", npmPack(repository, root)], at("my-run"));
    for (const name of Object.keys(devDependencies)) {
      const link = at("my-run/node_modules", name);
      fs.mkdirSync(path.dirname(link), { recursive: true });
      fs.symlinkSync(path.join(repository, "node_modules", name), link, "junction");
    }
    expect(fs.readdirSync(at("my-run"))).to.include.members([".gitignore", ".github"]);
    const tested = npm(["test"], at("my-run"));
    expect(tested)
      .to.match(/^(#|ℹ) pass 4$/m)
      .and.match(/^(#|ℹ) fail 0$/m);
    const trained = demand(
      node(
        ["node_modules/verl-ts/dist/cli/main.js", "train", "grpo.yaml", "trainer.total_training_steps=2"],
        at("my-run"),
      ),
      "npm run train",
    );
    expect(trained).to.include("done: 2 steps");
  });

  it("takes a template by name, and says what there is", () => {
    demand(create("other", "--template", "chat"), "create-verl-ts --template");
    expect(fs.existsSync(at("other/data/sums.jsonl"))).to.equal(true);
    const help = create("--help");
    expect(help.status).to.equal(0);
    expect(help.stdout).to.match(/letters +A tiny model/);
    expect(create().status).to.equal(2);
    const unknown = create("third", "--template", "none");
    expect(unknown.status).to.equal(2);
    expect(unknown.stderr).to.include("Choose one of chat, letters.");
  });
});
