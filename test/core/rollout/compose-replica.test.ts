import { expect } from "chai";
import {
  composeReplica,
  composeServerAdapter,
  type ReplicaBackend,
  type RolloutReplica,
} from "../../../core/rollout/index.js";
import { fakeReplica } from "./fake-replica.js";

/** A backend that notes what is asked of it. */
function recording(): ReplicaBackend & { readonly calls: string[] } {
  const calls: string[] = [];
  const slowly = async (call: string) => {
    calls.push(`${call} begins`);
    await new Promise<void>((resolve) => setImmediate(resolve));
    calls.push(`${call} ends`);
  };
  return {
    calls,
    vocabSize: 8,
    hasWeights: true,
    weightVersion: -1,
    capabilities: {
      sleepLevels: [1, 2],
      adapters: false,
      deltaWeights: false,
      priority: false,
      http: false,
      logProbs: true,
    },
    launch: () => slowly("launch"),
    generate: () => Promise.reject(new Error("not here")),
    release: (tags) => slowly(`release ${tags}`),
    acquire: (tags) => slowly(`acquire ${tags}`),
    clearKvCache: () => {},
    dispose: () => slowly("dispose"),
  };
}

async function launched(backend: ReplicaBackend): Promise<RolloutReplica> {
  const replica = composeReplica(backend, {
    name: "test",
    replicaRank: 3,
    maxModelLen: 16,
    responseLength: 4,
    createDecoder: null,
  });
  await replica.launch();
  return replica;
}

describe("composeReplica", () => {
  it("runs calls that move memory one after the other", async () => {
    const backend = recording();
    const replica = await launched(backend);
    backend.calls.length = 0;
    await Promise.all([replica.sleep(2), replica.wakeUp(["weights"]), replica.wakeUp()]);
    expect(backend.calls).to.deep.equal([
      "release weights,kv_cache begins",
      "release weights,kv_cache ends",
      "acquire weights begins",
      "acquire weights ends",
      "acquire kv_cache begins",
      "acquire kv_cache ends",
    ]);
  });

  it("releases only what is still held", async () => {
    const backend = recording();
    const replica = await launched(backend);
    await replica.sleep(1);
    await replica.sleep(2);
    expect(backend.calls.filter((call) => call.endsWith("ends"))).to.deep.equal([
      "launch ends",
      "release kv_cache ends",
      "release weights ends",
    ]);
  });

  it("passes on the error of a memory call and goes on with the next", async () => {
    const backend = { ...recording(), release: () => Promise.reject(new Error("no memory")) };
    const replica = await launched(backend);
    const error = await replica.sleep().catch((e: Error) => e);
    expect(String(error)).to.include("no memory");
    await replica.wakeUp();
  });

  it("names the rollout and the rank in its address", async () => {
    expect((await launched(recording())).address).to.match(/^test:3\//);
  });
});

describe("composeServerAdapter", () => {
  it("refuses a replica that takes no weights from it", async () => {
    expect(() => composeServerAdapter(fakeReplica(0))).to.throw(/VERL_ROLLOUT_WRONG_ADAPTER.*fake:0/);
    const adapter = composeServerAdapter(await launched(recording()));
    const error = await adapter.updateWeights((async function* () {})(), { version: 1 }).catch((e: Error) => e);
    expect(String(error)).to.match(/VERL_ROLLOUT_WRONG_ADAPTER/);
  });
});
