import { defineErrors } from "../host/errors.js";

export const rewardErrors = defineErrors({
  VERL_REWARD_NO_SCORER: {
    summary: "No scorer knows the data source of a row",
    fix: "set reward.custom_reward_function.path to a function of your own, or register a scorer for this data source",
  },
  VERL_REWARD_AMBIGUOUS_SCORER: {
    summary: "Two scorers claim the same data source",
    fix: "register one of them under the other's name with `override: true`, or give it a data source of its own",
  },
  VERL_REWARD_BAD_FUNCTION: {
    summary: "The configured reward function cannot be used",
    fix: "export a function under the name in reward.custom_reward_function.name",
  },
  VERL_REWARD_BAD_RESULT: {
    summary: "A reward function returned something that is not a score",
    fix: "return a finite number, null to abstain, or an object {score, …} with one of these as `score`",
  },
  VERL_REWARD_FAILED: {
    summary: "Scoring a trajectory failed",
    fix: "fix the function, or choose what happens then with reward.on_error: zero, drop_group or retry",
  },
  VERL_REWARD_TIMEOUT: {
    summary: "Scoring one trajectory took longer than the deadline",
    fix: "raise reward.timeout, or choose what happens then with reward.on_error: zero, drop_group or retry",
  },
  VERL_REWARD_WORKER_LOST: {
    summary: "A reward worker ended while it scored",
    fix: "look for process.exit, unhandled rejections or too much memory in the reward function; reward.on_error says what happens to the trajectory",
  },
  VERL_REWARD_NO_WORKERS: {
    summary: "The program has no module that a reward worker could run",
    fix: "name it in `createHost({ rewardMain })`, or take another reward manager than remote",
  },
  VERL_REWARD_NOT_IN_WORKER: {
    summary: "A reward function asked for something that reward workers do not have",
    fix: "take the reward manager naive, which runs asynchronous functions in the process of the run",
  },
  VERL_REWARD_BAD_SERVER: {
    summary: "The address of a judge or reward model is missing or no HTTP address",
    fix: "give it the form http://HOST:PORT",
  },
  VERL_REWARD_NO_KEY: {
    summary: "The key of a judge or reward model is not in the environment",
    fix: "set the variable, or name another one in reward.reward_model.api_key_env",
  },
  VERL_REWARD_NO_ROUTER: {
    summary: "The router over a judge's servers cannot be started",
    fix: "see that programs may listen on 127.0.0.1 here",
  },
  VERL_REWARD_SERVER_UNREACHABLE: {
    summary: "A judge or reward model cannot be reached",
    fix: "start the server, or correct reward.reward_model.addresses",
  },
  VERL_REWARD_SERVER_FAILED: {
    summary: "A judge or reward model refused a request or gave an answer that cannot be used",
    fix: "see the server's log; reward.on_error says what happens to the trajectory",
  },
  VERL_REWARD_MODEL_UNFIT: {
    summary: "A reward model cannot score conversations",
    fix: "name a sequence-classification model with a chat template in reward.reward_model.model_path",
  },
  VERL_REWARD_TOO_LONG: {
    summary: "A conversation is longer than the reward model's context",
    fix: "shorten data.max_prompt_length and data.max_response_length, or take a model with more positions",
  },
  VERL_REWARD_BAD_HYBRID: {
    summary: "A rule of the reward manager hybrid cannot be followed",
    fix: "correct reward.hybrid: a list of {data_source, rule, function, model}, the last three being weights",
  },
  VERL_REWARD_BAD_POLICY: {
    summary: "The error policy of rewards is unknown",
    fix: "set reward.on_error to fail, zero, drop_group, retry or retry(n)",
  },
});
