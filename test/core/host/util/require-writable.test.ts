import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { requireWritableFile, requireWritableFolder } from "../../../../core/host/index.js";

describe("core/host/util/require-writable", () => {
  let folder = "";
  const at = (...parts: string[]) => path.join(folder, ...parts);
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "verl-writable-"));
    await writeFile(at("file"), "old");
  });
  afterEach(() => rm(folder, { recursive: true }));
  const why = (check: Promise<void>) =>
    check.then(
      () => "fine",
      (error: Error) => error.message,
    );

  it("takes folders and files that are there, or can be made, and leaves nothing behind", async () => {
    for (const name of ["", "new", "new/newer"]) expect(await why(requireWritableFolder(at(name)))).to.equal("fine");
    for (const name of ["file", "other", "new/other"])
      expect(await why(requireWritableFile(at(name)))).to.equal("fine");
    expect(await readdir(folder)).to.deep.equal(["file"]);
  });

  it("names what is in the way", async () => {
    expect(await why(requireWritableFolder(at("file")))).to.equal(`${at("file")} is no folder`);
    expect(await why(requireWritableFolder(at("file", "x")))).to.include("is a file");
    expect(await why(requireWritableFile(folder))).to.include("a folder of this name");
  });
});
