import type { Span, Tracer } from "./tracer.js";

const NO_SPAN: Span = { set() {} };

/** Of a run that is not traced: the work, and nothing around it. */
export const noTracer: Tracer = {
  wantsText: false,
  promptsPerWorker: null,
  span: (_, work) => work(NO_SPAN),
  async finish() {},
};

/** One tracer that tells all of these. */
export function composeTracers(tracers: readonly Tracer[]): Tracer {
  if (tracers.length === 0) return noTracer;
  if (tracers.length === 1) return tracers[0];
  const [outer, ...others] = tracers;
  const inner = composeTracers(others);
  return {
    wantsText: outer.wantsText || inner.wantsText,
    promptsPerWorker: outer.promptsPerWorker ?? inner.promptsPerWorker,
    span: (start, work) =>
      outer.span(start, (a) =>
        inner.span(start, (b) =>
          work({
            set(attributes) {
              a.set(attributes);
              b.set(attributes);
            },
            addEvent(event) {
              a.addEvent?.(event);
              b.addEvent?.(event);
            },
            addLink(link) {
              a.addLink?.(link);
              b.addLink?.(link);
            },
            ids: () => a.ids?.() ?? b.ids?.() ?? null,
            endAt(time) {
              a.endAt?.(time);
              b.endAt?.(time);
            },
          }),
        ),
      ),
    observe(read) {
      outer.observe?.(read);
      inner.observe?.(read);
    },
    async finish() {
      await Promise.all([outer.finish(), inner.finish()]);
    },
  };
}
