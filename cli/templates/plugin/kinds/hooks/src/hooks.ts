import type { Hooks, Logger } from "verl-ts/plugin";

const GOAL = 0.99;

/**
 * Ends a run early once its reward has reached a goal. The other hooks are onInitEnd, onTrainBegin, onTrainEnd, onValidateBegin,
 * onValidateEnd, onStepBegin, onSampleBegin and onSampleEnd; each has a context of its own.
 */
export const hooks = (logger: Pick<Logger, "info">) =>
  ({
    name: "__SHORT__",
    onStepEnd({ metrics, requestStop }) {
      const reward = metrics["critic/rewards/mean"];
      if (!(reward >= GOAL)) return;
      logger.info(`__SHORT__: the reward is ${reward}`);
      requestStop(`the reward has reached ${GOAL}`);
    },
  }) satisfies Hooks;
