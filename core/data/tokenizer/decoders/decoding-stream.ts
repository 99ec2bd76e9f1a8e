import type { Sink, Stage, StageFactory } from "./stage.js";

/** Where the text comes out. */
class Collector implements Sink {
  text = "";

  part(text: string): void {
    this.text += text;
  }

  end(): void {}

  close(): void {}

  take(): string {
    const { text } = this;
    this.text = "";
    return text;
  }
}

/** Tokens in, text out as soon as it is certain. */
export class DecodingStream {
  private readonly collector = new Collector();
  /** Last stage first. */
  private readonly stages: readonly Stage[];

  constructor(factories: readonly StageFactory[]) {
    const stages: Stage[] = [];
    for (const make of [...factories].reverse()) stages.push(make(stages.at(-1) ?? this.collector));
    this.stages = stages;
  }

  /** What the text gains by one more token. */
  push(token: string): string {
    const first = this.stages.at(-1) ?? this.collector;
    first.part(token);
    first.end();
    return this.collector.take();
  }

  /** What the text would still gain if no more tokens came. */
  pending(): string {
    const collector = new Collector();
    let first: Sink = collector;
    for (const stage of this.stages) first = stage.fork(first);
    first.close();
    return collector.text;
  }
}
