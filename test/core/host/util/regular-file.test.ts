import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { composeConfig } from "../../../../core/config/index.js";
import { readDataFiles } from "../../../../core/data/index.js";
import { openModel } from "../../../../core/formats/index.js";
import { readRegularFile } from "../../../../core/host/util/regular-file.js";

describe("core/host/util/regular-file", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "verl-regular-"));
  });
  afterEach(() => rm(dir, { recursive: true }));

  const pipe = (name: string): string => {
    execFileSync("mkfifo", [path.join(dir, name)]);
    return path.join(dir, name);
  };
  const failure = (work: Promise<unknown>): Promise<Error & { why?: string; what?: string }> =>
    work.then(
      () => expect.fail("it was read"),
      (error) => error,
    );

  it("devices are refused", async () => {
    expect((await failure(readRegularFile("/dev/zero"))).message).to.equal("/dev/zero is a device, not a file");
  });

  it("a pipe in the place of a model's configuration is refused, not waited for", async () => {
    pipe("config.json");
    expect((await failure(openModel(dir))).why).to.include("is a named pipe, not a file");
  });

  it("a pipe in the place of a model is refused", async () => {
    expect((await failure(openModel(pipe("model.gguf")))).message).to.include("is a named pipe, not a file");
  });

  for (const name of ["data.jsonl", "data.json", "data.parquet"]) {
    it(`a pipe in the place of ${name} is refused`, async () => {
      const error = await failure(readDataFiles([pipe(name)], { split: "train", namedBy: "data.train_files" }));
      expect(error.why).to.include("is a named pipe, not a file");
    });
  }

  it("a pipe in the place of a configuration is refused", async () => {
    const error = await failure(composeConfig({ files: [pipe("run.yaml")], overrides: [], env: {}, cwd: dir }));
    expect(error.why).to.include("is a named pipe, not a file");
  });
});
