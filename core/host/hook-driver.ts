import { inUserCode } from "./blocking/user-code.js";
import { firstFrame } from "./error-place.js";
import { reasonOf, type VerlError } from "./errors.js";
import { pluginErrors } from "./plugin-errors.js";
import type { Owner } from "./registry/kind.js";
import { labelOfOwner, type OwnerScope } from "./registry/owner-scope.js";
import { withDeadline } from "./util/deadline.js";

/** The three places of one hook, in this order. `trainer` belongs to the host; users and plugins have the other two. */
export type HookSlot = "pre" | "trainer" | "post";

type HookBody<X> = (context: X) => void | Promise<void>;

/** A set of hooks over a map `C` from hook name to context. A bare function is in `post`. */
export type HookSet<C> = {
  readonly [N in keyof C]?: HookBody<C[N]> | { readonly pre?: HookBody<C[N]>; readonly post?: HookBody<C[N]> };
} & { readonly name: string; readonly deadlineMs?: number };

export interface HookDriverOptions<C> {
  /** In the order in which they run. */
  readonly sets: readonly { readonly hooks: HookSet<C>; readonly owner: Owner }[];
  /** Milliseconds for each call of a set that names none. */
  readonly deadlineMs: number;
  readonly scope: OwnerScope;
}

/** A hook that has not settled. */
export interface PendingHook {
  readonly hook: string;
  readonly slot: HookSlot;
  readonly set: string;
  /** `name@version`. */
  readonly owner: string;
  /** `performance.now()` of its start. */
  readonly since: number;
}

/**
 * Calls hooks: `pre` of every set, the trainer's own work, `post` of every set, one after the other, each awaited. The
 * first error stops the call and carries plugin and hook. A set that passed its deadline may still be running, so it is
 * never called again.
 */
export class HookDriver<C extends object> {
  private readonly running = new Set<PendingHook>();
  private readonly stuck = new Set<HookSet<C>>();

  constructor(private readonly options: HookDriverOptions<C>) {}

  async run<N extends keyof C & string>(hook: N, context: C[N], trainer?: HookBody<C[N]>): Promise<void> {
    await this.runSlot(hook, "pre", context);
    await trainer?.(context);
    await this.runSlot(hook, "post", context);
  }

  /** Hooks that have started and not settled, oldest first: who is to blame when a run does not end. */
  get pending(): readonly PendingHook[] {
    return [...this.running];
  }

  private async runSlot<N extends keyof C & string>(hook: N, slot: "pre" | "post", context: C[N]): Promise<void> {
    for (const { hooks, owner } of this.options.sets) {
      const body = bodyOf<C, N>(hooks, hook, slot);
      if (body && !this.stuck.has(hooks)) await this.call(hooks, owner, hook, slot, () => body.call(hooks, context));
    }
  }

  private async call(set: HookSet<C>, owner: Owner, hook: string, slot: HookSlot, body: () => void | Promise<void>) {
    const pending: PendingHook = { hook, slot, set: set.name, owner: labelOfOwner(owner), since: performance.now() };
    const deadlineMs = set.deadlineMs ?? this.options.deadlineMs;
    this.running.add(pending);
    const settled = () => void this.running.delete(pending);
    const call = () => inUserCode(() => describe(pending).replace(/^The/, "the"), body);
    const work = this.options.scope.run(owner, async () => call());
    work.then(settled, settled);
    let expired: VerlError | null = null;
    try {
      await withDeadline(work, deadlineMs, () => {
        expired = timeout(pending, deadlineMs);
        return expired;
      });
    } catch (error) {
      // A hook may throw null.
      if (expired === null || error !== expired) throw failure(error, pending);
      this.stuck.add(set);
      throw error;
    }
  }
}

function bodyOf<C, N extends keyof C>(set: HookSet<C>, hook: N, slot: "pre" | "post"): HookBody<C[N]> | undefined {
  const value = (set as { readonly [K in keyof C]?: HookBody<C[K]> | { pre?: HookBody<C[K]>; post?: HookBody<C[K]> } })[
    hook
  ];
  if (typeof value === "function") return slot === "post" ? value : undefined;
  return value?.[slot];
}

function describe({ hook, slot, set, owner }: PendingHook): string {
  return `The hook ${hook} (${slot}) of "${set}" from ${owner}`;
}

function timeout(pending: PendingHook, deadlineMs: number): VerlError {
  return pluginErrors.VERL_HOOK_TIMEOUT({
    what: `${describe(pending)} did not finish within ${deadlineMs / 1000} s.`,
    why: "It may still be running, so the run cannot go on safely.",
    data: { ...pending },
  });
}

function failure(error: unknown, pending: PendingHook): VerlError {
  return pluginErrors.VERL_HOOK_FAILED({
    what: `${describe(pending)} failed.`,
    where: firstFrame(error) ?? undefined,
    why: reasonOf(error),
    cause: error,
    data: { ...pending },
  });
}
