import {
  type CheckedRequest,
  GrowingResponse,
  profiled,
  type RolloutOptions,
  type StopReason,
  type TokenOutput,
  TokenSampler,
} from "../../../core/plugin.js";
import type { SavedTokens } from "./kv-cache.js";
import { Pacer } from "./pacer.js";
import { Scheduler, type Sequence } from "./scheduler.js";
import type { TokenRunner } from "./token-runner.js";

/** Longest stretch of sampling before other work of the process gets a turn. */
const SAMPLING_STRETCH_MS = 8;

type Ending = StopReason | { readonly error: unknown };

interface Flight extends Sequence {
  readonly signal: AbortSignal;
  settle(ending: Ending): void;
}

interface Logits {
  readonly row: Float32Array;
  readonly weightVersion: number;
}

/** A prompt whose cache lies in the slots of its holders. */
interface KnownPrompt extends Logits {
  readonly holders: Set<Flight>;
  /** What holders may forget, while others wait for it. */
  saved: SavedTokens | null;
}

export interface BatcherOptions extends Pick<RolloutOptions, "eosTokenIds" | "createDecoder" | "profiler"> {
  readonly vocabSize: number;
  readonly maxPrefillTokens: number;
}

/**
 * Continuous batching (Yu et al., "Orca", OSDI'22): sequences join and leave between any two tokens. Equal prompts are
 * computed once while one of them is active, and their cache is copied.
 */
export class Batcher {
  private readonly scheduler: Scheduler<Flight>;
  private readonly sampler: TokenSampler;
  private readonly pacer = new Pacer(SAMPLING_STRETCH_MS);
  private prompts = new Map<string, KnownPrompt>();
  private isRunning = false;

  constructor(
    private readonly runner: TokenRunner,
    private readonly options: BatcherOptions,
  ) {
    this.scheduler = new Scheduler({ slots: runner.slots, maxPrefillTokens: options.maxPrefillTokens });
    this.sampler = new TokenSampler(options.vocabSize);
  }

  /** Nothing is computed and nothing waits to be. */
  get isIdle(): boolean {
    return !this.isRunning;
  }

  generate(request: CheckedRequest, signal: AbortSignal): Promise<TokenOutput> {
    const response = new GrowingResponse(request, this.options);
    return new Promise((resolve, reject) => {
      this.scheduler.enqueue({
        response,
        priority: request.priority ?? 0,
        promptKey: request.promptIds.join(),
        slot: -1,
        signal,
        settle: (ending) => {
          if (typeof ending === "object") reject(ending.error);
          else resolve(response.output(ending, this.runner.weightVersion));
        },
      });
      if (!this.isRunning) void this.run();
    });
  }

  /** Compute every prompt anew from now on: the weights have changed, or the cache was cleared. */
  forgetPrompts(): void {
    this.prompts = new Map();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    // Requests that are made together start together.
    await this.pacer.yield();
    while (!this.scheduler.isIdle) {
      try {
        this.dropAborted();
        while (await this.admit()) this.dropAborted();
        await this.decode();
      } catch (error) {
        this.finish(new Map(this.scheduler.active.map((flight) => [flight, { error }])));
      }
    }
    this.isRunning = false;
  }

  private dropAborted(): void {
    for (const flight of this.scheduler.takeWaiting(({ signal }) => signal.aborted)) flight.settle("aborted");
    const aborted = this.scheduler.active.filter(({ signal }) => signal.aborted);
    this.finish(new Map(aborted.map((flight) => [flight, "aborted"])));
  }

  /** Seat waiting sequences and draw their first tokens; false when there was nothing to do. */
  private async admit(): Promise<boolean> {
    const { prompts } = this;
    const { fresh, shared } = this.scheduler.admit((key) => this.holderOf(prompts.get(key)) !== null);
    if (fresh.length + shared.length === 0) return false;
    if (fresh.length > 0) {
      const { weightVersion, row } = await profiled(this.options.profiler, "prefill", () =>
        this.runner.prefill(
          fresh[0].slot,
          fresh.map(({ response }) => response.request.promptIds),
        ),
      );
      // Into the map of before the call: if prompts were forgotten meanwhile, nobody will find these.
      fresh.forEach((flight, i) => {
        const prompt = { row: row(i).slice(), weightVersion, holders: new Set([flight]), saved: this.toShare(flight) };
        prompts.set(flight.promptKey, prompt);
      });
    }
    const known = (flight: Flight) => prompts.get(flight.promptKey) as KnownPrompt;
    for (const flight of shared) {
      const prompt = known(flight);
      const { slot } = this.holderOf(prompt) as Flight;
      this.runner.copy(slot, flight.slot, flight.response.request.promptIds.length, prompt.saved);
      prompt.holders.add(flight);
      if (!this.scheduler.isAwaited(flight.promptKey)) prompt.saved = null;
    }
    await profiled(this.options.profiler, "draw", () => this.draw([...fresh, ...shared], known));
    return true;
  }

  /** One from whose slot a prompt's cache can be copied. */
  private holderOf(prompt: KnownPrompt | undefined): Flight | null {
    for (const holder of prompt?.holders ?? []) {
      if (prompt?.saved || this.runner.keeps(holder.slot, holder.response.request.promptIds.length)) return holder;
    }
    return null;
  }

  /** What the one that holds a prompt may forget before all that wait for it have a slot. */
  private toShare({ promptKey, slot, response }: Flight): SavedTokens | null {
    if (!this.runner.forgets || !this.scheduler.isAwaited(promptKey)) return null;
    return this.runner.save(slot, response.request.promptIds.length);
  }

  private async decode(): Promise<void> {
    const active = [...this.scheduler.active];
    if (active.length === 0) return;
    const { weightVersion, row } = await profiled(this.options.profiler, "decode", () =>
      this.runner.decode(
        active.map(({ response }) => response.tokenIds[response.tokenIds.length - 1]),
        active.map(({ response }) => response.length - 1),
      ),
    );
    await profiled(this.options.profiler, "draw", () =>
      this.draw(active, ({ slot }) => ({ row: row(slot), weightVersion })),
    );
  }

  private async draw(flights: readonly Flight[], logitsOf: (flight: Flight) => Logits): Promise<void> {
    const endings = new Map<Flight, Ending>();
    for (const flight of flights) {
      if (flight.signal.aborted) continue;
      try {
        const { row, weightVersion } = logitsOf(flight);
        const ended = flight.response.draw(row, this.sampler, weightVersion);
        if (ended) endings.set(flight, ended);
      } catch (error) {
        endings.set(flight, { error });
      }
      await this.pacer.pause();
    }
    this.finish(endings);
  }

  private finish(endings: ReadonlyMap<Flight, Ending>): void {
    if (endings.size === 0) return;
    this.scheduler.free(new Set(endings.keys()), (flight, to) => {
      this.runner.copy(flight.slot, to, flight.response.length);
    });
    for (const [flight, ending] of endings) {
      const prompt = this.prompts.get(flight.promptKey);
      prompt?.holders.delete(flight);
      if (prompt?.holders.size === 0) this.prompts.delete(flight.promptKey);
      flight.settle(ending);
    }
  }
}
