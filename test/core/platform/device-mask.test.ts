import { expect } from "chai";
import { deviceEnv, maskEntries, visibleDevices } from "../../../core/platform/index.js";
import { FAKE_VISIBLE_DEVICES, fakePlatformFactory } from "../../../testing/index.js";
import { rejection } from "../host/support/hosts.js";

describe("core/platform device masks", () => {
  it("end at the first entry that is empty or negative", () => {
    const cases: [string | undefined, readonly string[] | null][] = [
      [undefined, null],
      ["", []],
      [" ", []],
      ["0", ["0"]],
      [" 2 , 0,1", ["2", "0", "1"]],
      ["-1", []],
      ["0,-1,2", ["0"]],
      ["1,,2", ["1"]],
      ["GPU-ab,MIG-cd", ["GPU-ab", "MIG-cd"]],
    ];
    for (const [mask, entries] of cases) expect(maskEntries(mask), String(mask)).to.deep.equal(entries);
  });

  it("name devices by index or by the beginning of an identifier, each once", () => {
    const devices = ["GPU-aaaa", "GPU-aabb", "GPU-cccc"].map((id) => ({ ids: [id] }));
    const seen = (mask?: string) => visibleDevices(mask, devices).map((device) => devices.indexOf(device));
    expect(seen()).to.deep.equal([0, 1, 2]);
    expect(seen("2,0")).to.deep.equal([2, 0]);
    expect(seen("gpu-c,1")).to.deep.equal([2, 1]);
    expect(seen("GPU-aa,2"), "two devices begin so").to.deep.equal([]);
    expect(seen("1,1,2"), "an entry twice").to.deep.equal([1]);
    expect(seen("0,3,1"), "no such device").to.deep.equal([0]);
    expect(seen("2,abc"), "no identifier").to.deep.equal([2]);
  });

  it("believe identifiers that nobody knows, and count parts of a chip", () => {
    const unknown = [{ ids: [] }, { ids: [] }];
    expect(visibleDevices("GPU-1,GPU-2,GPU-3", unknown)).to.have.lengthOf(2);
    expect(visibleDevices("MIG-1,MIG-2,MIG-3", [{ ids: ["GPU-1"] }])).to.have.lengthOf(3);
    expect(visibleDevices("MIG-GPU-9/1/0", [{ ids: ["GPU-1"] }])).to.have.lengthOf(0);
  });

  describe("of training processes", () => {
    const before = process.env[FAKE_VISIBLE_DEVICES];
    afterEach(() => {
      if (before === undefined) delete process.env[FAKE_VISIBLE_DEVICES];
      else process.env[FAKE_VISIBLE_DEVICES] = before;
    });
    const platform = async () => fakePlatformFactory({ devices: 3 }).create();

    it("show each of them one device, of those that the run may use", async () => {
      expect(await deviceEnv(await platform(), {}, 2)).to.deep.equal([
        { [FAKE_VISIBLE_DEVICES]: "0" },
        { [FAKE_VISIBLE_DEVICES]: "1" },
      ]);
      process.env[FAKE_VISIBLE_DEVICES] = "2,0";
      expect(await deviceEnv(await platform(), process.env, 2)).to.deep.equal([
        { [FAKE_VISIBLE_DEVICES]: "2" },
        { [FAKE_VISIBLE_DEVICES]: "0" },
      ]);
    });

    it("must show enough devices", async () => {
      process.env[FAKE_VISIBLE_DEVICES] = "1";
      const error = await rejection(deviceEnv(await platform(), process.env, 2));
      expect(error.code).to.equal("VERL_PLATFORM_TOO_FEW_DEVICES");
      expect(error.what).to.equal("2 training processes need a device each, and fake has 1");
      expect(error.where).to.equal(`${FAKE_VISIBLE_DEVICES}=1`);
    });
  });
});
