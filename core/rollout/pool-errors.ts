import { defineErrors } from "../host/errors.js";

/** Errors of the driver's side: the pool of servers and its balancer. What servers themselves refuse is in `errors.ts`. */
export const poolErrors = defineErrors({
  VERL_ROLLOUT_NO_SERVER: {
    summary: "No inference server is registered with the load balancer",
    fix: "launch at least one replica and add it to the balancer before generating",
  },
  VERL_ROLLOUT_DUPLICATE_ADDRESS: {
    summary: "Two inference servers claim the same address",
    fix: "give every replica an address of its own, also one without HTTP",
  },
  VERL_ROLLOUT_NO_ADDRESS: {
    summary: "An inference server has no address after launch",
    fix: "set the replica's address before launch() resolves",
  },
  VERL_ROLLOUT_REPLICA_FAILED: {
    summary: "A control call failed on one or more inference servers",
  },
});
