import {
  type CallOptions,
  checkServers,
  type JsonValue,
  type RenderedConversation,
  type RewardModel,
  type RewardModelFactory,
  rewardErrors,
  whyLacking,
} from "../../core/plugin.js";

/** How a kind of server is asked for the score of a text. */
export interface ServerForm {
  readonly name: string;
  readonly path: string;
  body(model: string, text: string): { readonly [name: string]: JsonValue };
  /** The score in the last entry of an answer's `data`; anything but a number is refused. */
  scoreOf(entry: { readonly [name: string]: JsonValue }): JsonValue | undefined;
}

/** A reward model behind HTTP servers. They compute at all times: there is nothing to put to sleep. */
export function serverRewardModel(form: ServerForm): RewardModelFactory {
  return {
    name: form.name,
    create({ modelName, servers }): RewardModel {
      const client = servers();
      return {
        start: (call) => checkServers(client, modelName, call),
        async score({ text }: RenderedConversation, call?: CallOptions) {
          return readScore(form, await client.request("POST", form.path, form.body(modelName, text), call));
        },
        async sleep() {},
        async dispose() {},
      };
    },
  };
}

function readScore(form: ServerForm, answer: JsonValue): number {
  const { data } = (answer ?? {}) as { readonly data?: JsonValue };
  const entry: JsonValue | undefined = Array.isArray(data) ? (data.at(-1) as JsonValue | undefined) : undefined;
  if (Array.isArray(data) && data.length > 1) {
    throw rewardErrors.VERL_REWARD_SERVER_FAILED({
      what: `the answer to ${form.path} holds ${data.length} items for one request`,
      why: `expected the form of ${form.name}: one item for one text`,
      fix: "see that reward.reward_model.rollout.name is the kind of the server, and that it serves a classification model",
    });
  }
  const score =
    typeof entry === "object" && entry !== null && !Array.isArray(entry) ? form.scoreOf(entry as never) : null;
  if (typeof score === "number" && Number.isFinite(score)) return score;
  throw rewardErrors.VERL_REWARD_SERVER_FAILED({
    what: `the answer to ${form.path} holds no score`,
    why: `expected the form of ${form.name}, and ${whyLacking(answer)}`,
    fix: "see that reward.reward_model.rollout.name is the kind of the server, and that it serves a classification model",
  });
}

/** The last of a list of numbers. */
export const lastOf = (values: JsonValue | undefined): JsonValue | undefined =>
  Array.isArray(values) ? (values.at(-1) as JsonValue | undefined) : undefined;
