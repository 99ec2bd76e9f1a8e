import { expect } from "chai";
import {
  scalarsEvent,
  sessionEndEvent,
  sessionStartEvent,
  textEvent,
  versionEvent,
} from "../../../plugins/trackers/tensorboard/events.js";
import { record } from "../../../plugins/trackers/tensorboard/records.js";

/**
 * Records as TensorBoard 2.21's own writer makes them (`tensorboard.compat.proto`, `SerializeToString(deterministic=True)`,
 * `RecordWriter`).
 */
const EXPECTED = {
  version: "1800000000000000a37f4b220900002040fc54d9411a0d627261696e2e4576656e743a322b353110",
  scalars:
    "34000000000000005e33175c0900002040fc54d94110ac022a260a110a0a6163746f722f6c6f737315cdcccc3d0a110a0a6372697469632f6e616e150000c07ff610db55",
  texts:
    "5800000000000000a28b2f8c0900002040fc54d94110022a4b0a490a0f76616c2f67656e65726174696f6e73422a08071208120208021202080242092a2a696e7075742a2a420a2a2a6f75747075742a2a4203e59b9b42004a0a0a060a04746578742002562cb46c",
  start:
    "89000000000000003451aa5c0900002040fc54d9412a7e0a7c0a1c5f68706172616d735f2f73657373696f6e5f73746172745f696e666f42060801120212004a540a500a0768706172616d7312451a430a110a04612e6c721209118dedb5a0f7c6b03e0a0a0a04622e6f6e120220010a0d0a06632e6e616d6512031a0178220a6578706572696d656e742900002040fc54d9412002f785d13c",
  end: "51000000000000009ca1d9bc0900002040fc54d94110072a440a420a1a5f68706172616d735f2f73657373696f6e5f656e645f696e666f42060801120212004a1c0a180a0768706172616d73120d220b08021100002040fc54d941200254ebdad5",
};

describe("bytes of event files", () => {
  const time = new Date(1_700_000_000_500);
  const at = (step: number) => ({ step, time });
  const settings = new Map<string, number | boolean | string>([
    ["a.lr", 1e-6],
    ["b.on", true],
    ["c.name", "x"],
  ]);
  const rows = [
    ["**input**", "**output**"],
    ["四", ""],
  ];
  const cases: Readonly<Record<keyof typeof EXPECTED, () => Buffer>> = {
    version: () => versionEvent(time),
    scalars: () => scalarsEvent(at(300), { "actor/loss": 0.1, "critic/nan": Number.NaN }),
    texts: () => textEvent(at(2), "val/generations", rows),
    start: () => sessionStartEvent(at(0), "experiment", settings),
    end: () => sessionEndEvent(at(7), false),
  };
  for (const [name, make] of Object.entries(cases)) {
    it(`are TensorBoard's own: ${name}`, () => {
      expect(record(make()).toString("hex")).to.equal(EXPECTED[name as keyof typeof EXPECTED]);
    });
  }
});
