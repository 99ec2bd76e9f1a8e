import { defineErrors } from "../host/errors.js";

export const transferErrors = defineErrors({
  VERL_QUEUE_BAD_KEY: {
    summary: "A queue key is not of the form uid or uid_session_index.",
    fix: "Make keys with promptKey(uid) and trajectoryKey(uid, session, index); uids hold no underscore.",
  },
  VERL_QUEUE_EMPTY_PUT: {
    summary: "A put carried neither fields nor a tag.",
    fix: "Pass fields, a tag, or both.",
  },
  VERL_QUEUE_BAD_VALUE: {
    summary: "A field or tag holds something that the queue cannot store.",
    fix: "Store Int32Array, Float32Array and plain JSON values only.",
  },
  VERL_QUEUE_UNKNOWN_KEY: {
    summary: "A key that was read is not in the queue.",
    fix: "List the partition first; keys are gone once they are cleared.",
  },
  VERL_QUEUE_STALE_ATTEMPT: {
    summary: "A write came from an attempt that a later one has replaced.",
    fix: "Drop the result: the prompt was issued again. If this repeats, workers outlive their deadline.",
  },
  VERL_QUEUE_FULL: {
    summary: "The queue stayed full until the deadline of a put.",
    fix: "Raise the queue's capacity above one training batch, or clear trained trajectories sooner.",
  },
  VERL_QUEUE_ROW_TOO_LARGE: {
    summary: "One write is larger than the whole queue.",
    fix: "Raise the queue's capacity, or write fewer rows at once.",
  },
  VERL_QUEUE_BAD_SNAPSHOT: {
    summary: "A queue snapshot cannot be restored.",
    fix: "Use a snapshot written by this version, in a queue of sufficient capacity.",
  },
  VERL_QUEUE_CLOSED: {
    summary: "The queue was used after it was closed.",
    fix: "Stop writers before the queue is closed.",
  },
  VERL_REPLAY_CONFIG: {
    summary: "The replay buffer's options contradict each other.",
  },
  VERL_REPLAY_BAD_TAG: {
    summary: "A prompt in the queue has a tag that the replay buffer cannot read.",
    fix: "Write prompt tags with promptTag(); status is pending, running, finished or failure.",
  },
  VERL_REPLAY_TIMEOUT: {
    summary: "Not enough prompt groups ended before the deadline.",
    fix: "Look at the prompts named in the table; raise trainer.sample_deadline_s if they are only slow. rollout.agent.session_deadline_s ends single sessions before, and the run goes on.",
  },
  VERL_REPLAY_NO_TRAJECTORIES: {
    summary: "None of the sampled prompt groups holds a trajectory.",
    fix: "Look for the errors of the agent loops: every session failed or returned nothing.",
  },
  VERL_REPLAY_METRIC_MISSING: {
    summary: "A group cannot be judged by the filter's metric.",
    fix: "Set algorithm.filter_groups.metric to a value that the reward returns for every trajectory.",
  },
  VERL_WEIGHTS_NO_STREAM: {
    summary: "The engine cannot stream its weights.",
    fix: "Use an engine with weights: stream, or a weight transfer that fits how the engine hands its weights over.",
  },
  VERL_WEIGHTS_PUSH_FAILED: {
    summary: "New weights did not reach every rollout replica; all of them keep the old version.",
    fix: "Look at the cause; pushing again is safe.",
  },
  VERL_WEIGHTS_SPLIT: {
    summary: "Some rollout replicas switched to the new weights and others could not.",
    fix: "Push again before anything is sampled, or stop the run: replicas hold different versions.",
  },
});
