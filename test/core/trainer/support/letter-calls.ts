import type { ToyFolder } from "./toy-run.js";

const CORE = JSON.stringify(new URL("../../../../core/plugin.js", import.meta.url).href);

/**
 * Writes `letters.mjs`, a plugin: every turn of the toy's letters that ends with a `b` is a call.
 *
 * @param call  JavaScript of the call, where `text` is the turn and `exists` tells of files by their full names
 */
export function writeLetters(folder: ToyFolder, call: string): Promise<void> {
  return folder.write(
    "letters.mjs",
    `
import { existsSync as exists } from "node:fs";
import { definePlugin } from ${CORE};
export default definePlugin({
  name: "letters",
  apiVersion: "^1.0.0",
  provides: ["toolParser"],
  register: (host) => host.toolParsers.register({
    name: "letters",
    stopTokens: ["b"],
    create() {
      let text = "";
      return {
        push(piece) { text += piece; return []; },
        end: () => text.endsWith("b") ? [{ type: "call", call: ${call} }] : [],
      };
    },
  }),
});`,
  );
}

const rollout = "actor_rollout_ref.rollout";

/** A call of the tool `echo`. */
export const ECHO = '{ name: "echo", arguments: "{}" }';

/** A toy run with that plugin. What a tool answers is one letter to the model: `k`, or `j` where it says something of an error. */
export const LETTER_CALLS: readonly string[] = [
  "plugins=[./letters.mjs]",
  "data.max_response_length=12",
  `actor_rollout_ref.model.custom_chat_template="{% for m in messages %}{% if m.role == 'tool' %}{{ 'j' if 'rror' in m.content else 'k' }}{% elif m.role != 'assistant' %}{{ m.content }}{% endif %}{% endfor %}"`,
  `${rollout}.agent.default_agent_loop=tool_agent`,
  `${rollout}.multi_turn.enable=true`,
  `${rollout}.multi_turn.format=letters`,
];
