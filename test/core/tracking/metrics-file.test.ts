import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { cutMetrics, metricsLine, readMetrics, unmask } from "../../../core/tracking/index.js";

describe("metrics file", () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "verl-metrics-"));
    file = path.join(folder, "metrics.jsonl");
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = (...lines: string[]) => writeFile(file, lines.join(""));
  const line = (step: number) => `${metricsLine(step, { x: step })}\n`;
  const steps = async () => (await readMetrics(file)).map(({ step }) => step);

  it("writes numbers that JSON does not know as texts, and reads them back", () => {
    const text = metricsLine(3, { a: Number.NaN, b: Number.NEGATIVE_INFINITY, c: 0.5 }, new Date(0));
    expect(text).to.equal('{"step":3,"time":"1970-01-01T00:00:00.000Z","data":{"a":"NaN","b":"-Infinity","c":0.5}}');
    const { data } = JSON.parse(text) as { data: Record<string, number | string> };
    expect(Object.values(data).map(unmask)).to.deep.equal([Number.NaN, Number.NEGATIVE_INFINITY, 0.5]);
  });

  it("is cut to the step of the checkpoint", async () => {
    await write(line(0), line(5), line(6), line(7));
    await cutMetrics(file, 5);
    expect(await steps()).to.deep.equal([0, 5]);
    expect(await readdir(folder)).to.deep.equal(["metrics.jsonl"]);
  });

  it("loses a line that a crash tore", async () => {
    await write(line(1), line(2), '{"step":3,"da');
    expect(await steps()).to.deep.equal([1, 2]);
    await cutMetrics(file, 9);
    expect(await readFile(file, "utf8")).to.equal(line(1) + line(2));
  });

  it("starts empty for a new run", async () => {
    await write(line(0), line(1));
    await cutMetrics(file, 0);
    expect(await readFile(file, "utf8")).to.equal("");
  });

  it("is made when it is not there", async () => {
    await cutMetrics(file, 4);
    expect(await steps()).to.deep.equal([]);
  });

  it("is refused with the line when it holds something else", async () => {
    await write(line(1), "hello\n", line(2));
    const error = await cutMetrics(file, 4).catch((e: unknown) => e);
    expect(String(error)).to.contain("VERL_TRACKING_BAD_FILE").and.contain("metrics.jsonl:2");
    expect(await readFile(file, "utf8")).to.contain("hello");
  });
});
