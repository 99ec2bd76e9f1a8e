import { expect } from "chai";
import { type Channel, greetWorker, offerOf } from "../../../../core/host/index.js";
import { type Host, joinWorker } from "../../../../core/index.js";
import { Bench, rejection } from "../support/hosts.js";
import { type Project, registers } from "../support/project.js";
import { STARTERS, type StartedWorker } from "../support/workers.js";

for (const [sort, start] of Object.entries(STARTERS)) {
  describe(`plugins in a real ${sort}`, () => {
    const bench = new Bench();
    const workers: StartedWorker[] = [];
    let project: Project;
    beforeEach(() => {
      project = bench.project();
    });
    afterEach(() => cleanUp(workers, bench));

    const join = (host: Host) => joinNew(start, workers, host);

    it("are the driver's, whatever the worker's environment says", async () => {
      const host = await bench.host(project.install("a").install("b"), "b,a");
      const worker = await join(host);
      await worker.ended;
      expect(worker.said).to.deep.equal([{ type: "test/working", hooks: ["a", "b"], role: "rollout" }]);
    });

    it("T34: of another version are refused on both sides with both versions", async () => {
      const host = await bench.host(project.install("p", { version: "1.0.0" }), "p");
      project.install("p", { version: "2.0.0" });
      const error = await rejection(join(host));
      expect(error.code).to.equal("VERL_PLUGIN_LOCK_MISMATCH");
      expect(error.message).to.include("p: the driver has 1.0.0, this worker has 2.0.0");
      const [worker] = workers;
      await worker.ended;
      expect(worker.said).to.deep.equal([{ type: "test/refused", code: "VERL_PLUGIN_LOCK_MISMATCH" }]);
    });
  });
}

describe("plugins of a worker", () => {
  const bench = new Bench();
  const workers: StartedWorker[] = [];
  let project: Project;
  beforeEach(() => {
    project = bench.project();
  });
  afterEach(() => cleanUp(workers, bench));

  const join = (host: Host) => joinNew(STARTERS["worker thread"], workers, host);

  it("of the same version with other code are refused before the code runs", async () => {
    const host = await bench.host(project.install("p"), "p");
    project.install("p", { files: { "register.js": "throw new Error('this code ran');" } });
    const error = await rejection(join(host));
    expect(error.code).to.equal("VERL_PLUGIN_LOCK_MISMATCH");
    expect(error.message).to.include("other code");
  });

  it("that are missing there are refused", async () => {
    const host = await bench.host(project.install("p"), "p");
    project.removeFolder("node_modules/p");
    expect((await rejection(join(host))).code).to.equal("VERL_PLUGIN_NOT_FOUND");
  });

  it("that register something else there are refused with the difference", async () => {
    const name = "`p-${host.process.role}`";
    const files = { "register.js": `export function register(host) { host.hooks.register({ name: ${name} }); }` };
    const host = await bench.host(project.install("p", { files }), "p");
    const error = await rejection(join(host));
    expect(error.code).to.equal("VERL_PLUGIN_FINGERPRINT");
    expect(error.message).to.include("hooks p-driver p@1.0.0").and.to.include("hooks p-rollout p@1.0.0");
  });

  it("restricted to other processes are left out of the comparison", async () => {
    project.install("p");
    project.install("driver-only", { verl: { processes: ["driver"] } });
    project.install("rollout-only", {
      verl: { processes: ["rollout"] },
      files: {
        "register.js": "export function register(host) { host.hooks.register({ name: 'p' }, { override: true }); }",
      },
    });
    const host = await bench.host(project, "p,driver-only,rollout-only");
    const worker = await join(host);
    await worker.ended;
    expect(worker.said).to.deep.equal([{ type: "test/working", hooks: ["p"], role: "rollout" }]);
  });

  it("that end the worker are reported", async () => {
    const quit = "if (host.process.role === 'rollout') process.exit(7);";
    const host = await bench.host(project.install("p", { files: { "register.js": registers("p", quit) } }), "p");
    const error = await rejection(join(host));
    expect(error.code).to.equal("VERL_PLUGIN_HANDSHAKE");
    expect(error.what).to.include("status 7");
  });

  it("is named by the driver when the worker falls silent over it", async () => {
    const host = await bench.host(project.install("p"), "p");
    const silent: Channel = {
      send: () => {},
      listen: (listener) => {
        setImmediate(() => listener({ type: "verl/plugins/loading", plugin: "p@1.0.0" }));
        return () => {};
      },
      onClose: () => () => {},
      close: () => {},
    };
    const offer = offerOf(host, { cwd: project.dir, role: "rollout", rank: 3 });
    const error = await rejection(greetWorker(silent, offer, 100));
    expect(error.code).to.equal("VERL_PLUGIN_HANDSHAKE");
    expect(error.message).to.include("worker rollout 3").and.to.include("It was loading the plugin p@1.0.0");
  });
});

async function joinNew(start: () => StartedWorker, workers: StartedWorker[], host: Host): Promise<StartedWorker> {
  const worker = start();
  workers.push(worker);
  await joinWorker(host, worker.channel, { role: "rollout", rank: 3 });
  return worker;
}

async function cleanUp(workers: StartedWorker[], bench: Bench): Promise<void> {
  for (const worker of workers.splice(0)) {
    worker.end();
    await worker.ended;
  }
  await bench.clean();
}
