import type { RunConfig } from "../../core/config/index.js";

/** Something that `config check` does not look at, and the command that does. */
export interface Unchecked {
  readonly what: string;
  readonly command: string;
}

/** What a configuration names and only what reads it can judge. */
export function uncheckedOf({ actor_rollout_ref, data, reward, trainer }: RunConfig): Unchecked[] {
  const { model, rollout } = actor_rollout_ref;
  const code = [
    reward.custom_reward_function.path,
    reward.reward_manager.module.path,
    data.custom_cls.path,
    data.sampler.class_path,
    rollout.multi_turn.function_tool_path,
    rollout.agent.agent_loop_config_path,
    trainer.checkpoint_callback_class,
    ...trainer.hooks,
  ];
  const servers = [...(reward.reward_model.enable ? reward.reward_model.addresses : []), reward.sandbox_fusion.url];
  const named: readonly (readonly [what: string, isNamed: boolean, command: string])[] = [
    ["the tokenizer", (model.tokenizer_path ?? model.path) !== null, DRY_RUN],
    ["rows of the data", data.train_files.length + data.val_files.length > 0, DRY_RUN],
    ["code of your own", code.some((path) => path !== null), DRY_RUN],
    ["servers", [...servers, rollout.trace.endpoint].some((address) => address !== null), DOCTOR],
  ];
  return named.flatMap(([what, isNamed, command]) => (isNamed ? [{ what, command }] : []));
}

const DRY_RUN = "verl train --dry-run";
const DOCTOR = "verl doctor";

/** `Not looked at: … (verl train --dry-run reads them); … (verl doctor does).`; nothing where everything was. */
export function uncheckedText(unchecked: readonly Unchecked[]): string[] {
  const commands = [...new Set(unchecked.map(({ command }) => command))];
  const parts = commands.map((command) => {
    const texts = unchecked.filter((one) => one.command === command).map(({ what }) => what);
    return `${texts.join(", ")} (${command} does)`;
  });
  return parts.length === 0 ? [] : [`Not looked at: ${parts.join("; ")}.`];
}
