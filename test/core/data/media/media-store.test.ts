import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { MediaStore } from "../../../../core/data/index.js";
import { solidPng } from "../../../../testing/index.js";
import { caught } from "./caught.js";

const RED = solidPng(16, 8, [255, 0, 0]);
const BLUE = solidPng(16, 8, [0, 0, 255]);

describe("core/data/media/media-store", () => {
  let root = "";
  before(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), "verl-media-"));
    await mkdir(path.join(root, "data", "pictures"), { recursive: true });
    await writeFile(path.join(root, "data", "pictures", "red.png"), RED);
    await writeFile(path.join(root, "outside.png"), BLUE);
    await symlink(path.join(root, "outside.png"), path.join(root, "data", "link.png"));
  });
  after(() => rm(root, { recursive: true }));
  const data = () => path.join(root, "data");

  it("names a medium by its content, with what its header says", async () => {
    const store = new MediaStore();
    const ref = await store.take("image", { bytes: RED });
    expect(ref).to.deep.include({ kind: "image", mimeType: "image/png", byteLength: RED.length, width: 16, height: 8 });
    expect(ref.id).to.match(/^[0-9a-f]{64}$/);
    expect(await store.bytes(ref)).to.deep.equal(RED);
  });

  it("gives the same reference for the same bytes, wherever they came from", async () => {
    const store = new MediaStore();
    const [a, b, c] = [
      await store.take("image", { bytes: RED }),
      await store.take("image", { bytes: Uint8Array.from(RED) }),
      await store.take("image", { path: "pictures/red.png" }, { root: data() }),
    ];
    expect(b).to.equal(a);
    expect(c).to.equal(a);
    expect(await store.take("image", { id: a.id })).to.equal(a);
  });

  it("reads a file again when its bytes are asked for, and refuses one that has changed", async () => {
    const store = new MediaStore();
    const file = path.join(data(), "changing.png");
    await writeFile(file, RED);
    const ref = await store.take("image", { path: "changing.png" }, { root: data() });
    expect(Buffer.from(await store.bytes(ref)).equals(RED)).to.equal(true);
    await writeFile(file, BLUE);
    const error = await caught(store.bytes(ref));
    expect(error.code).to.equal("VERL_DATA_MEDIA");
    expect(error.message).to.contain("changed").and.contain(file);
  });

  it("says where a medium came from: its file, and the first row that named it", async () => {
    const store = new MediaStore();
    const origin = "train.jsonl:3";
    const named = await store.take("image", { path: "pictures/red.png" }, { root: data(), origin });
    const { id } = await store.take("image", { bytes: BLUE }, { origin: "train.jsonl:4" });
    expect(store.placeOf(named.id)).to.equal(`${path.join(data(), "pictures", "red.png")}, ${origin}`);
    expect(store.placeOf(id)).to.equal("train.jsonl:4");
  });

  it("refuses the same bytes in two kinds, for references go by content", async () => {
    const store = new MediaStore();
    const webm = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);
    const ref = await store.take("video", { bytes: webm });
    const error = await caught(store.take("audio", { bytes: webm }));
    expect(error.code).to.equal("VERL_DATA_MEDIA");
    expect(error.message).to.contain("one kind");
    expect(store.find(ref.id)).to.equal(ref);
  });

  it("does not wait for a pipe", async () => {
    const pipe = path.join(data(), "pipe.png");
    execFileSync("mkfifo", [pipe]);
    const error = await caught(new MediaStore().take("image", { path: "pipe.png" }, { root: data() }));
    expect(error.message).to.contain("is no file").and.contain(pipe);
  });

  it("names a file once, and a name without end not to its end", async () => {
    const take = (name: string) => caught(new MediaStore().take("image", { path: name }, { root: data() }));
    const missing = await take("nowhere.png");
    expect(missing.what).to.match(/ENOENT: no such file or directory$/);
    expect(missing.where).to.equal(path.join(data(), "nowhere.png"));
    expect((await take("a".repeat(5000))).message.length).to.be.below(1200);
  });

  for (const name of ["../outside.png", "link.png", "pictures/../../outside.png"]) {
    it(`does not leave its folder by ${name}`, async () => {
      const error = await caught(new MediaStore().take("image", { path: name }, { root: data() }));
      expect(error.code).to.equal("VERL_DATA_MEDIA");
      expect(error.message).to.contain("outside");
    });
  }

  it("says of a reference that names nothing how to keep what it names", async () => {
    const error = await caught(new MediaStore().take("image", { id: "0".repeat(64) }));
    expect(error.message).to.contain("generate --output FILE");
  });

  it("reads no file where nobody has said from where", async () => {
    const { code } = await caught(new MediaStore().take("image", { path: path.join(data(), "pictures/red.png") }));
    expect(code).to.equal("VERL_DATA_MEDIA");
  });

  it("says which file is missing, and that a folder is none", async () => {
    const store = new MediaStore();
    const missing = await caught(store.take("image", { path: "none.png" }, { root: data() }));
    expect(missing.message).to.contain("none.png").and.contain("ENOENT");
    const folder = await caught(store.take("image", { path: "pictures" }, { root: data() }));
    expect(folder.message).to.contain("no file");
  });

  it("lets go of what was taken for a step, and of nothing else", async () => {
    const store = new MediaStore();
    const kept = await store.take("image", { bytes: RED });
    const passing = await store.take("image", { bytes: BLUE }, { keep: "step" });
    expect(store.release()).to.equal(1);
    expect(await store.bytes(kept)).to.deep.equal(RED);
    expect((await caught(store.bytes(passing))).code).to.equal("VERL_DATA_MEDIA");
  });

  it("holds for the run what a step has taken before", async () => {
    const store = new MediaStore();
    await store.take("image", { bytes: RED }, { keep: "step" });
    const ref = await store.take("image", { bytes: RED });
    expect(store.release()).to.equal(0);
    expect(await store.bytes(ref)).to.deep.equal(RED);
  });

  it("refuses a reference to nothing, or to a medium of another kind", async () => {
    const store = new MediaStore();
    const { id } = await store.take("image", { bytes: RED });
    expect((await caught(store.take("video", { id }))).message).to.contain("of the kind image");
    expect((await caught(store.take("image", { id: "0".repeat(64) }))).code).to.equal("VERL_DATA_MEDIA");
  });
});
