import { expect } from "chai";
import { loopTimes } from "../../../../core/trainer/metrics/loop-times.js";
import { trainingRow } from "../../../../core/trainer/step/training-row.js";

const row = (session: number, index: number, metrics: Record<string, number>, responseLength = 2) =>
  trainingRow(
    `u_${session}_${index}`,
    { uid: "u", session, index },
    {
      promptIds: Int32Array.of(3, 4, 5),
      responseIds: Int32Array.from({ length: responseLength }, () => 6),
      responseMask: Int32Array.from({ length: responseLength }, () => 1),
      metrics,
    },
  );

describe("core/trainer times of agent loops", () => {
  it("are the mean, longest and shortest of sessions, and those of the slowest", () => {
    const rows = [
      row(0, 0, { generateSequences: 1, toolCalls: 0.5, computeScore: 0, numPreempted: 2 }),
      row(1, 0, { generateSequences: 2, toolCalls: 3.5, computeScore: 0, numPreempted: -1 }, 5),
    ];
    const at = "timing_s/agent_loop";
    expect(loopTimes(rows)).to.deep.equal({
      [`${at}/generate_sequences/mean`]: 1.5,
      [`${at}/generate_sequences/max`]: 2,
      [`${at}/generate_sequences/min`]: 1,
      [`${at}/tool_calls/mean`]: 2,
      [`${at}/tool_calls/max`]: 3.5,
      [`${at}/tool_calls/min`]: 0.5,
      [`${at}/num_preempted/mean`]: 2,
      [`${at}/num_preempted/max`]: 2,
      [`${at}/num_preempted/min`]: 2,
      [`${at}/slowest/generate_sequences`]: 2,
      [`${at}/slowest/tool_calls`]: 3.5,
      [`${at}/slowest/prompt_length`]: 3,
      [`${at}/slowest/response_length`]: 5,
    });
  });

  it("count a session once, however many trajectories it gave", () => {
    const spent = { generateSequences: 1, toolCalls: 0, computeScore: 0, numPreempted: -1 };
    const times = loopTimes([row(0, 0, spent), row(0, 1, spent), row(1, 0, { ...spent, generateSequences: 4 })]);
    expect(times["timing_s/agent_loop/generate_sequences/mean"]).to.equal(2.5);
  });

  it("are none where nothing was spent", () => {
    expect(loopTimes([row(0, 0, {})])).to.deep.equal({});
    expect(loopTimes([])).to.deep.equal({});
  });
});
