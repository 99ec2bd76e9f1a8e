import { filterGroups, type ScoredGroup } from "../../../core/transfer/index.js";
import { type CaseKind, compare, thrownBy } from "../kind.js";

export const groupFilter: CaseKind = {
  name: "group_filter",
  fields: ["mode", "metric", "groups"],
  expectFields: ["error", "evicted", "refill"],
  run({ mode, metric, groups, expect }) {
    const filter = () =>
      filterGroups(groups as ScoredGroup[], { mode: mode as "sync" | "async", metric: metric as string });
    if (expect.error) return thrownBy(filter) ? null : { expected: expect, actual: filter() };
    const { evicted, refill } = filter();
    return compare(expect, { evicted, refill });
  },
};
