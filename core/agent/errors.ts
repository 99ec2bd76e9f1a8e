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
  VERL_AGENT_UNKNOWN_LOOP: {
    summary: "A row, or agent.default_agent_loop, names an agent loop that there is not",
    fix: "name one that is known, add it to the list in agent.agent_loop_config_path, or load the plugin that registers it",
  },
  VERL_AGENT_BAD_ROW: {
    summary: "A row of the data says something about tools or simulated users that cannot be used",
    fix: "write tool_selection as a list of the run's tools, tools_kwargs as {tool: {create_kwargs: {…}}}, and interaction_kwargs with the name of an interaction",
  },
  VERL_AGENT_BAD_OUTPUT: {
    summary: "An agent loop returned a trajectory that contradicts itself",
    fix: "return token ids, a mask and log-probabilities of one length; the mask is 1 for sampled tokens and 0 elsewhere",
  },
  VERL_AGENT_LOOP_THREW: {
    summary: "An agent loop threw something that is no Error, or a manager failed a session without one",
    fix: "throw new Error(reason), in a manager prompt.fail(session, new Error(reason)): the stack tells the line",
  },
  VERL_AGENT_GENERATION_FAILED: {
    summary: "The inference server ended a request with an error",
  },
  VERL_AGENT_CANCELLED: {
    summary: "A prompt was cancelled before it ended",
  },
  VERL_AGENT_SESSION_TIMEOUT: {
    summary: "An agent loop took longer than rollout.agent.session_deadline_s",
    fix: "raise the deadline, or let the loop end sooner; one that computes for long belongs in a thread (`thread: true`)",
  },
  VERL_AGENT_TURN_ORDER: {
    summary: "Turns were added to a trajectory in an order that no conversation has",
    fix: "start with the prompt, then let sampled tokens and messages take turns; add all messages of a turn at once",
  },
  VERL_AGENT_LOG_PROBS: {
    summary: "Sampled tokens and their log-probabilities do not belong together",
    fix: "ask for log-probabilities in every call of a trajectory or in none; the server returns one for each token",
  },
  VERL_AGENT_HISTORY_CHANGED: {
    summary: "Messages were changed that the model has seen",
    fix: "append to the messages; for a conversation with another history begin a new trajectory",
  },
  VERL_AGENT_MESSAGE_ROLE: {
    summary: "A message has a role that cannot stand here",
    fix: "append tool, user and system messages; what the model sampled is added as tokens",
  },
  VERL_AGENT_TOOL_NAME: {
    summary: "The model is shown the names of functions, and a tool result has none",
    fix: "give the tool message a name, or the tool_call_id of its call",
  },
  VERL_AGENT_MEDIA: {
    summary: "A message holds images, sound or video, which tokens are not built from",
    fix: "send text, or use an agent loop and a server that take media",
  },
  VERL_AGENT_BAD_TOOL: {
    summary: "A tool, or a file of tools, cannot be used",
    fix: "write a YAML list under tools with entries {class_name: ./file.ts#Export, config: {type: native}, tool_schema: {…}}, or export tools made by functionTool; every name occurs once",
  },
  VERL_AGENT_BAD_MANAGER: {
    summary: "What agent.agent_loop_manager_class names is no agent-loop manager",
    fix: "export a class with a static create(options) that gives an object with generateSequences(prompts)",
  },
  VERL_AGENT_MANAGER_REFUSED: {
    summary: "An agent-loop manager of the user's does not take the run",
    fix: "change what the reason names, or leave agent.agent_loop_manager_class out for the built-in manager",
  },
  VERL_AGENT_MANAGER_STUCK: {
    summary: "Prompts that an agent-loop manager accepted have not ended in time",
    fix: "let it deliver or fail every session, or write a terminal status for every prompt, also when something throws",
  },
  VERL_AGENT_DELIVERY: {
    summary: "An agent-loop manager delivered a session that nobody waits for",
    fix: "deliver or fail each session of a prompt once, by its number from 0",
  },
  VERL_AGENT_NO_THREADS: {
    summary: "An agent loop asks for threads, and the program that embeds the host has none",
    fix: "name the module in `createHost({ agentMain })`, or leave `thread: true` out of the loop's entry",
  },
  VERL_AGENT_THREAD_LOST: {
    summary: "A thread that ran agent loops ended; its sessions failed",
    fix: "look for process.exit, a native crash or exhausted memory in the loop that it ran",
  },
  VERL_AGENT_THREAD_FAILED: {
    summary: "An agent loop failed in its thread",
  },
  VERL_AGENT_BAD_INTERACTION: {
    summary: "The file in multi_turn.interaction_config_path is no list of interactions",
    fix: "write a YAML list under interaction with entries {name: teacher, class_name: ./teacher.ts#TeacherInteraction, config: {…}}; the class needs a method generateResponse",
  },
  VERL_AGENT_INTERACTION: {
    summary: "A simulated user is unknown, failed or did not answer in time",
    fix: "correct the interaction, or raise multi_turn.interaction_deadline_s",
  },
  VERL_AGENT_PARSER_ENDED: {
    summary: "A tool parser's stream was used after its end",
    fix: "create a stream for every turn, and call end() once, when the turn is complete",
  },
});
