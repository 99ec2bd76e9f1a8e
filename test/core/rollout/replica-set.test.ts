import { expect } from "chai";
import { isVerlError } from "../../../core/host/errors.js";
import { rolloutErrors } from "../../../core/rollout/errors.js";
import { createReplicaSet } from "../../../core/rollout/index.js";
import { fakeReplica } from "./fake-replica.js";

describe("replica set", () => {
  it("passes every control call on to every replica", async () => {
    const replicas = [fakeReplica(0), fakeReplica(1)];
    const set = createReplicaSet(replicas);
    await set.launch();
    await set.sleep(2);
    await set.wakeUp(["weights"]);
    await set.abortAll();
    await set.resumeGeneration();
    await set.clearKvCache();
    await set.releaseKvCache();
    await set.resumeKvCache();
    await set.setWeightVersion(5);
    await set.dispose();
    const expected = [
      "launch",
      "sleep(2)",
      'wakeUp(["weights"])',
      "abortAll",
      "resumeGeneration",
      "clearKvCache",
      "releaseKvCache",
      "resumeKvCache",
      "setWeightVersion(5)",
      "dispose",
    ];
    for (const replica of replicas) expect(replica.calls).to.deep.equal(expected);
  });

  it("names the replicas that failed and still calls the others", async () => {
    const cause = new Error("out of memory");
    const healthy = fakeReplica(2);
    const set = createReplicaSet([
      fakeReplica(0),
      fakeReplica(1, {
        wakeUp: () => {
          throw cause;
        },
      }),
      healthy,
    ]);
    const error = await set.wakeUp().catch((e: unknown) => e);
    expect(isVerlError(error) && error.code).to.equal("VERL_ROLLOUT_REPLICA_FAILED");
    expect(String(error)).to.contain("wakeUp failed on 1 of 3").and.contain("replica 1 (fake:1): out of memory");
    expect((error as Error).cause).to.equal(cause);
    expect(healthy.calls).to.deep.equal(["wakeUp"]);
  });

  it("gives the reason itself where every replica refuses for the same coded one", async () => {
    const refusal = rolloutErrors.VERL_ROLLOUT_BAD_OPTION({ what: "the option is wrong" });
    const refuse = () => {
      throw refusal;
    };
    const one = createReplicaSet([fakeReplica(0, { launch: refuse })]);
    expect(await one.launch().catch((e: unknown) => e)).to.equal(refusal);
    const two = createReplicaSet([fakeReplica(0, { launch: refuse }), fakeReplica(1, { launch: refuse })]);
    expect(await two.launch().catch((e: unknown) => e)).to.equal(refusal);
  });

  it("names a replica that refuses alone", async () => {
    const refusal = rolloutErrors.VERL_ROLLOUT_BAD_OPTION({ what: "the option is wrong" });
    const refuse = () => {
      throw refusal;
    };
    const set = createReplicaSet([fakeReplica(0, { launch: refuse }), fakeReplica(1)]);
    const error = await set.launch().catch((e: unknown) => e);
    expect(isVerlError(error) && error.code).to.equal("VERL_ROLLOUT_REPLICA_FAILED");
  });

  it("refuses replicas that share an address or have none", async () => {
    const twins = createReplicaSet([fakeReplica(0), fakeReplica(1, { address: "fake:0" })]);
    expect(String(await twins.launch().catch((e: unknown) => e))).to.contain("replicas 0 and 1 both have the address");
    const nameless = createReplicaSet([fakeReplica(0, { address: "" })]);
    expect(String(await nameless.launch().catch((e: unknown) => e))).to.contain("VERL_ROLLOUT_NO_ADDRESS");
  });

  it("adds up the requests in flight", () => {
    expect(createReplicaSet([fakeReplica(1), fakeReplica(2)]).inFlight).to.equal(3);
  });
});
