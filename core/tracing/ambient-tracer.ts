import { AsyncLocalStorage } from "node:async_hooks";
import { noTracer } from "./compose-tracers.js";
import type { Tracer } from "./tracer.js";

const KEY = Symbol.for("verl.tracer");
/** One for the process: a user's module may find another copy of this package than the run's. */
const shared = globalThis as unknown as { [KEY]?: AsyncLocalStorage<Tracer> };
shared[KEY] ??= new AsyncLocalStorage<Tracer>();
const storage = shared[KEY];

/** What is done in here, and whatever that calls, is told this tracer by those that nobody can hand it to. */
export const withTracer = <T>(tracer: Tracer, work: () => T): T => storage.run(tracer, work);

/** The tracer of the run that this is called in; one that tells nobody outside of runs. */
export const ambientTracer = (): Tracer => storage.getStore() ?? noTracer;
