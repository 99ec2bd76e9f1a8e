const CHOICE = "or choose what happens then with reward.on_error: zero, drop_group or retry";

/** What helps where scoring failed for this reason (the message of a result): not always the function is at fault. */
export function scoringFix(why: string): { readonly fix?: string } {
  if (/VERL_REWARD_SERVER_(FAILED|UNREACHABLE)|VERL_REWARD_NO_KEY/.test(why))
    return { fix: `${ofServer(why)}, ${CHOICE}` };
  if (why.includes("the agent loop gave a rewardScore")) {
    return {
      fix: "let the loop give a finite number, or choose what happens then with reward.on_error: zero or drop_group",
    };
  }
  const waited = /VERL_REWARD_TIMEOUT.*waiting for .*: (.*), \d+ (?:try|tries)\b/.exec(why);
  if (waited) return { fix: `${ofWaiting(waited[1])}; where it is only slow, raise reward.timeout, ${CHOICE}` };
  if (why.includes("VERL_REWARD_TIMEOUT")) return { fix: `raise reward.timeout, ${CHOICE}` };
  return {};
}

const ofWaiting = (last: string) =>
  last === "no answer" ? "start the server, or correct reward.reward_model.addresses" : "see the server's log";

function ofServer(why: string): string {
  if (/answered 40[13]\b|NO_KEY/.test(why)) {
    return "give the server its key: reward.reward_model.api_key_env (of a judge of your own, apiKeyEnv) names the variable that holds it";
  }
  if (/answered 3\d\d\b/.test(why)) {
    return "name the address of the server itself in reward.reward_model.addresses: redirects are not followed";
  }
  if (why.includes("the server says")) return "see what the server says";
  if (/answered 4\d\d\b/.test(why) && !/answered 429/.test(why)) {
    return "see that reward.reward_model.addresses and model_name fit what the server serves";
  }
  if (/answered (429|5\d\d)\b/.test(why)) {
    return "see the server's log; reward.reward_model.max_concurrent asks less of it at a time, max_tries tries longer";
  }
  if (why.includes("UNREACHABLE")) return "start the server, or correct reward.reward_model.addresses";
  return "see that reward.reward_model.addresses names such a server, and reward.reward_model.rollout.name its kind";
}
