/** Names of attributes, from OpenTelemetry's conventions for generative AI where there is one. */
export const ATTRIBUTE = {
  operation: "gen_ai.operation.name",
  agent: "gen_ai.agent.name",
  tool: "gen_ai.tool.name",
  model: "gen_ai.request.model",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  finishReasons: "gen_ai.response.finish_reasons",
  errorType: "error.type",

  experiment: "verl.experiment_name",
  step: "verl.step",
  validate: "verl.validate",
  sampleIndex: "verl.sample_index",
  rolloutN: "verl.rollout_n",
  trajectory: "verl.trajectory_id",
  dataSource: "verl.data_source",
  kind: "verl.kind",
  weightVersion: "verl.weight_version",
  trajectories: "verl.trajectories",
  outcome: "verl.outcome",
  score: "verl.reward.score",

  /** Texts: there under `token2text` alone. */
  promptText: "verl.prompt_text",
  responseText: "verl.response_text",
  arguments: "gen_ai.tool.call.arguments",
  result: "gen_ai.tool.call.result",
} as const;
