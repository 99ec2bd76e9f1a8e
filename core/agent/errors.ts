import { defineErrors } from "../host/errors.js";

export const agentErrors = defineErrors({
  VERL_AGENT_BAD_LOOP: {
    summary: "An export named as an agent loop is none",
    fix: "export a class with a method run(input), or an object {name, create(context)}",
  },
  VERL_AGENT_BAD_LIST: {
    summary: "The file in agent.agent_loop_config_path is no list of agent loops",
    fix: "write a YAML list of entries like {name: my_agent, _target_: ./my-agent.ts#MyAgent}",
  },
  VERL_AGENT_BAD_OUTPUT: {
    summary: "An agent loop returned a trajectory that contradicts itself",
    fix: "return token ids, a mask and log-probabilities of one length; the mask is 1 for sampled tokens and 0 elsewhere",
  },
  VERL_AGENT_GENERATION_FAILED: {
    summary: "The inference server ended a request with an error",
  },
  VERL_AGENT_CANCELLED: {
    summary: "A prompt was cancelled before it ended",
  },
});
