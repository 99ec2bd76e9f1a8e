import { count, key, open, section, text } from "./key.js";

export const transferQueue = section("The queue through which trajectories flow.", {
  backend: section("Its implementation.", {
    storage_backend: key(text(), "in_process", "Queue, by registered name.", {
      registry: "transferQueues",
      differs: { verl: "SimpleStorage", why: "one process needs no storage servers" },
    }),
    capacity_megabytes: key(count(), 4096, "Memory of the queue; writers wait when it is full.", {
      unit: "MiB",
      differs: { why: "verl bounds rows and drops the oldest" },
    }),
    engine_kwargs: open("Options of the queue, one section per name.", {
      differs: { why: "queues come as plugins" },
    }),
  }),
});
