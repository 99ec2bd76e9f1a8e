import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { makeFolder } from "../../../../core/host/index.js";

describe("core/host makeFolder", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "make-folder-"));
  });
  afterEach(() => rm(dir, { recursive: true }));

  const codeOf = (made: Promise<void>): Promise<unknown> =>
    made.then(
      () => "made",
      (error: NodeJS.ErrnoException) => error.code,
    );

  it("makes the folders above as well, and takes those that are there", async () => {
    const folder = path.join(dir, "a", "b", "c");
    await makeFolder(folder);
    await makeFolder(folder);
    expect((await stat(folder)).isDirectory()).to.equal(true);
  });

  it("refuses a file in its place, or in place of a folder above", async () => {
    const file = path.join(dir, "file");
    await writeFile(file, "");
    expect(await codeOf(makeFolder(file))).to.equal("EEXIST");
    expect(await codeOf(makeFolder(path.join(file, "x")))).to.equal("ENOTDIR");
  });

  it("ends where a file system takes no folders", async () => {
    // Only Linux has /proc; elsewhere the folder is made below a name that is none.
    const above = process.platform === "linux" ? "/proc" : path.join(dir, "\0");
    expect(await codeOf(makeFolder(path.join(above, "verl-none", "x")))).to.be.oneOf([
      "ENOENT",
      "ERR_INVALID_ARG_VALUE",
    ]);
  });
});
