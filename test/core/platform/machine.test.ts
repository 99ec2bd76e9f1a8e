import { expect } from "chai";
import { pciAccelerators } from "../../../core/platform/index.js";
import { MachineFolders, pciFiles } from "../../platforms/support/machine-folder.js";

describe("core/platform machines", () => {
  const machines = new MachineFolders();
  afterEach(() => machines.clean());

  it("list names by number, and nothing where there is no folder", () => {
    const machine = machines.make({ files: { "/dev/chip10": "", "/dev/chip9": "", "/dev/chip1": "" } });
    expect(machine.list("/dev")).to.deep.equal(["chip1", "chip9", "chip10"]);
    expect(machine.list("/nowhere")).to.deep.equal([]);
    expect([machine.read("/nowhere"), machine.exists("/nowhere")]).to.deep.equal([null, false]);
  });

  it("run a tool, and say that it is absent, or why it failed", async () => {
    const machine = machines.make({ tools: { good: 'echo "a $1"', bad: "echo no chip; exit 3", silent: "exit 1" } });
    expect(await machine.run("good", ["b"])).to.deep.equal({ status: "ok", output: "a b" });
    expect(await machine.run("none", [])).to.deep.equal({ status: "absent" });
    expect(await machine.run("bad", [])).to.deep.equal({ status: "failed", reason: "no chip" });
    expect(await machine.run("silent", [])).to.have.property("status", "failed");
  });

  it("find chips on the PCI bus by vendor and class", () => {
    const machine = machines.make({
      files: {
        ...pciFiles("0000:17:00.0", "0x10de", "0x2335", "0x030200"),
        ...pciFiles("0000:17:00.1", "0x10de", "0x22b8", "0x040300"),
        ...pciFiles("0000:01:00.0", "0x19e5", "0xd802", "0x120000"),
      },
    });
    expect(pciAccelerators(machine, "0x10de")).to.deep.equal([
      { address: "0000:17:00.0", vendor: "0x10de", device: "0x2335", class: "0x0302" },
    ]);
    expect(pciAccelerators(machine, "0x19e5")).to.have.lengthOf(1);
    expect(pciAccelerators(machines.make(), "0x10de")).to.deep.equal([]);
  });
});
