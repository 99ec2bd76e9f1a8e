import { expect } from "chai";
import type { NamedTensor } from "../../../core/data/batch/tensor.js";
import type { EngineCapabilities } from "../../../core/engine/engine.js";
import type { ServerAdapter } from "../../../core/rollout/rollout.js";
import { pushWeights } from "../../../core/transfer/index.js";
import { codedRejection, rejection } from "./support.js";

/** An engine that reuses one buffer for all tensors, as the contract allows. */
class ReusingEngine {
  readonly capabilities = { weights: "stream" } as EngineCapabilities;
  readonly log: string[] = [];
  failAt = Number.POSITIVE_INFINITY;

  constructor(readonly count: number) {}

  async *getPerTensorParam(): AsyncGenerator<NamedTensor> {
    const data = new Float32Array(2);
    try {
      for (let i = 0; i < this.count; i++) {
        if (i === this.failAt) throw new Error("device lost");
        data.fill(i);
        this.log.push(`pull ${i}`);
        yield { name: `w${i}`, dtype: "f32", shape: [2], data };
      }
      this.log.push("end");
    } finally {
      this.log.push("closed");
    }
  }
}

/** A replica that keeps its weights in a map and switches after the whole stream was read. */
class Replica implements Pick<ServerAdapter, "resume" | "updateWeights"> {
  version = 0;
  weights = new Map<string, number[]>();
  readonly resumed: string[] = [];
  onTensor: (name: string) => Promise<void> = async () => {};
  onSwitch: () => Promise<void> = async () => {};

  async resume(tags: readonly string[]): Promise<void> {
    this.resumed.push(...tags);
  }

  async updateWeights(weights: AsyncIterable<NamedTensor>, { version }: { version: number }): Promise<void> {
    const next = new Map<string, number[]>();
    for await (const tensor of weights) {
      await this.onTensor(tensor.name);
      next.set(tensor.name, [...(tensor.data as Float32Array)]);
    }
    await this.onSwitch();
    [this.weights, this.version] = [next, version];
  }
}

const three = () => [new Replica(), new Replica(), new Replica()];
const versions = (replicas: readonly Replica[]) => replicas.map((replica) => replica.version);
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("core/transfer/weight-transfer", () => {
  it("gives every replica all weights from one reading, slow ones too, and sets the version", async () => {
    const engine = new ReusingEngine(3);
    const replicas = three();
    replicas[1].onTensor = tick;
    const result = await pushWeights({ engine, adapters: replicas, version: 5 });
    expect(result).to.deep.equal({ tensors: 3, bytes: 24 });
    expect(versions(replicas)).to.deep.equal([5, 5, 5]);
    for (const { weights } of replicas) {
      expect([...weights]).to.deep.equal([
        ["w0", [0, 0]],
        ["w1", [1, 1]],
        ["w2", [2, 2]],
      ]);
    }
    expect(engine.log).to.deep.equal(["pull 0", "pull 1", "pull 2", "end", "closed"]);
  });

  it("makes room for weights before the stream and for the cache after it", async () => {
    const [replica] = three();
    replica.onSwitch = async () => {
      expect(replica.resumed).to.deep.equal(["weights"]);
    };
    await pushWeights({ engine: new ReusingEngine(1), adapters: [replica], version: 1 });
    expect(replica.resumed).to.deep.equal(["weights", "kv_cache"]);
  });

  it("leaves every replica on the old version when one fails in the stream, even at its last tensor", async () => {
    const engine = new ReusingEngine(3);
    const replicas = three();
    const cause = new Error("out of memory");
    replicas[2].onTensor = async (name) => {
      if (name === "w2") throw cause;
    };
    const error = await codedRejection(
      "VERL_WEIGHTS_PUSH_FAILED",
      pushWeights({ engine, adapters: replicas, version: 5 }),
    );
    expect(error.cause).to.equal(cause);
    expect(versions(replicas)).to.deep.equal([0, 0, 0]);
    expect(engine.log.at(-1)).to.equal("closed");
    expect(engine.log).to.not.include("end");
  });

  it("leaves every replica on the old version when the engine fails, and can push again", async () => {
    const engine = new ReusingEngine(3);
    const replicas = three();
    engine.failAt = 2;
    const push = pushWeights({ engine, adapters: replicas, version: 5 });
    expect((await codedRejection("VERL_WEIGHTS_PUSH_FAILED", push)).why).to.equal("device lost");
    expect(versions(replicas)).to.deep.equal([0, 0, 0]);
    engine.failAt = Number.POSITIVE_INFINITY;
    await pushWeights({ engine, adapters: replicas, version: 5 });
    expect(versions(replicas)).to.deep.equal([5, 5, 5]);
  });

  it("fails everybody when an adapter leaves the stream early", async () => {
    const replicas = three();
    const lazy = {
      resume: async () => {},
      updateWeights: async (weights: AsyncIterable<NamedTensor>) => {
        for await (const _ of weights) break;
        throw new Error("seen enough");
      },
    };
    const push = pushWeights({ engine: new ReusingEngine(3), adapters: [...replicas, lazy], version: 5 });
    await codedRejection("VERL_WEIGHTS_PUSH_FAILED", push);
    expect(versions(replicas)).to.deep.equal([0, 0, 0]);
  });

  it("does not believe an adapter that read nothing", async () => {
    const replicas = three();
    const liar = { resume: async () => {}, updateWeights: async () => {} };
    const push = pushWeights({ engine: new ReusingEngine(3), adapters: [...replicas, liar], version: 5 });
    const error = await codedRejection("VERL_WEIGHTS_SPLIT", push);
    expect(error.data).to.deep.equal({ version: 5, switched: [3], failed: [0, 1, 2] });
    expect(versions(replicas)).to.deep.equal([0, 0, 0]);
  });

  it("names who holds what when a replica cannot switch", async () => {
    const replicas = three();
    replicas[1].onSwitch = () => Promise.reject(new Error("swap failed"));
    const push = pushWeights({ engine: new ReusingEngine(2), adapters: replicas, version: 5 });
    const error = await codedRejection("VERL_WEIGHTS_SPLIT", push);
    expect(error.data).to.deep.equal({ version: 5, switched: [0, 2], failed: [1] });
    expect(versions(replicas)).to.deep.equal([5, 0, 5]);
  });

  it("ends with the reason of its signal although an adapter hangs", async () => {
    const engine = new ReusingEngine(3);
    const replicas = three();
    replicas[0].onTensor = () => new Promise(() => {});
    const controller = new AbortController();
    const push = pushWeights({ engine, adapters: replicas, version: 5, signal: controller.signal });
    await tick();
    const reason = new Error("stop");
    controller.abort(reason);
    expect(await rejection(push)).to.equal(reason);
    await tick();
    expect(versions(replicas)).to.deep.equal([0, 0, 0]);
    expect(engine.log.at(-1)).to.equal("closed");
  });

  it("refuses an engine that does not stream", async () => {
    const engine = { ...new ReusingEngine(0), capabilities: { weights: "path" } as EngineCapabilities };
    const push = pushWeights({ engine: engine as never, adapters: three(), version: 1 });
    await codedRejection("VERL_WEIGHTS_NO_STREAM", push);
  });
});
