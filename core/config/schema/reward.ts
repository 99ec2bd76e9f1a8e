import { z } from "zod";
import {
  count,
  flag,
  key,
  natural,
  nonNegative,
  open,
  optionalText,
  positive,
  section,
  strings,
  text,
  userExport,
} from "./key.js";
import { MAX_WORKERS } from "./most.js";

const robust = "a slow or broken scorer is handled by name";
const read = { differs: { why: "verl reads it although its file does not list it" } };
const here = { differs: { why: "verl starts the servers itself" } };
const lists = { differs: { why: "verl's batch manager scores a whole step at once" } };
const own = { differs: { why: "verl has no sandbox of its own" } };

const sandbox = section("Where programs that a model wrote are run.", {
  name: key(text(), "namespaces", "Sandbox, by registered name.", { registry: "sandboxes", ...own }),
  max_concurrent: key(natural(), 0, "Programs at a time; 0 = as many as there are processors.", own),
  timeout: key(positive(), 10, "Longest run of one program, in wall-clock and in processor time.", {
    unit: "s",
    ...own,
  }),
  memory_limit_mb: key(positive(), 1024, "Memory of one program and what it starts.", { unit: "MiB", ...own }),
  processes: key(count(), 64, "Processes and threads of one program.", own),
  files_limit_mb: key(positive(), 64, "What one program may write to disk.", { unit: "MiB", ...own }),
  output_limit_kb: key(positive(), 1024, "What one program may print.", { unit: "KiB", ...own }),
  options: open("Options of the sandbox.", own),
});

const sandboxFusion = section("A SandboxFusion service that runs programs instead.", {
  url: key(optionalText(), null, "Its address, e.g. `http://host:8080/run_code`; null = `reward.sandbox` is used."),
  max_concurrent: key(count(), 64, "Programs that it runs at a time."),
  memory_limit_mb: key(positive(), 1024, "Memory of one program.", { unit: "MiB" }),
});

const rewardModel = section("A model that scores, or judges for the reward function.", {
  enable: key(
    flag(),
    false,
    "Score with the model; with a reward function of your own, hand it the servers as `judge`.",
  ),
  enable_resource_pool: key(
    flag(),
    false,
    "On the engine: true = stay loaded and score as trajectories arrive; false = load after sampling, score, unload.",
  ),
  model_path: key(optionalText(), null, "Sequence-classification folder or Hub id; for servers, the model's name."),
  model_name: key(optionalText(), null, "Name of the model on the servers; null = `model_path`.", here),
  tokenizer_path: key(optionalText(), null, "Folder with its tokenizer and chat template; null = `model_path`.", here),
  rollout: section("What computes it.", {
    name: key(
      text(),
      "engine",
      "Reward model, by registered name: engine = a training engine here; others are kinds of servers.",
      {
        registry: "rewardModels",
        differs: { verl: null, why: "the engine needs no server" },
      },
    ),
  }),
  addresses: key(strings(), [], "Servers, as `http://host:port`; requests go to the least busy one.", here),
  api_key_env: key(
    z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
      .nullable(),
    null,
    "Variable of the environment that holds the servers' key; never the key itself.",
    { form: "the name of a variable", ...here },
  ),
  max_concurrent: key(count(), 64, "Requests under way at the same time.", here),
  max_tries: key(count(), 16, "Attempts at one request; refusals (4xx other than 429) are final.", here),
  merge_requests: key(flag(), true, "Send equal requests that are under way at the same time once.", here),
  strategy: key(optionalText(), null, "Engine of `rollout.name: engine`, by name; null = the default one.", {
    registry: "engines",
    ...here,
  }),
  max_tokens_per_batch: key(count(), 16384, "Most tokens that the engine computes at a time.", {
    unit: "tokens",
    ...here,
  }),
  engine_kwargs: open("Options of the engine, by its name.", here),
});

const weight = () => z.number().default(0);

export const reward = section("Scoring of trajectories.", {
  custom_reward_function: section("The user's reward function.", {
    path: key(optionalText(), null, "File (relative to the working directory), `file:` URL or package.", {
      file: true,
    }),
    name: key(text(), "compute_score", "Name of the export."),
    reward_kwargs: open("Handed to the function as `kwargs`."),
  }),
  reward_manager: section("What runs the scorers.", {
    source: key(z.enum(["register", "importlib"]), "register", "register = by name; importlib = from `module`."),
    name: key(
      text(),
      "naive",
      "Reward manager, by registered name: naive, dapo (overlong penalty), gdpo, rate_limited, batch (lists), remote (threads), hybrid (several parts).",
      { registry: "rewardManagers" },
    ),
    module: userExport("A reward manager", "custom_reward_manager"),
  }),
  sandbox,
  sandbox_fusion: sandboxFusion,
  reward_model: rewardModel,
  hybrid: key(
    z.array(z.strictObject({ data_source: z.string(), rule: weight(), function: weight(), model: weight() })),
    [],
    "For the reward manager hybrid: weights of rule, function and model, by data source; the first that fits. 0 = not asked; below 0 = a penalty.",
    { differs: { why: "in verl a function does this" } },
  ),
  reward_kwargs: open("Options of the reward manager, e.g. dapo's {max_resp_len, overlong_buffer_cfg}."),
  num_workers: key(count(MAX_WORKERS), 8, "Most threads that score at the same time, with the reward manager remote.", {
    guarded: true,
  }),
  max_concurrent: key(count(), 64, "Trajectories scored at the same time.", { differs: { verl: null, why: robust } }),
  max_rpm: key(positive().nullable(), null, "Most calls of the reward function, with rate_limited; null = no limit.", {
    unit: "per minute of the whole run",
    ...read,
  }),
  max_tpm: key(positive().nullable(), null, "Most tokens of these calls, with rate_limited; null = no limit.", {
    unit: "per minute of the whole run",
    ...read,
  }),
  estimated_tokens_per_request: key(positive(), 2000, "What one call counts towards max_tpm.", {
    unit: "tokens",
    ...read,
  }),
  batch: section("Lists of trajectories, with the reward manager batch.", {
    max_size: key(count(), 32, "Longest list.", lists),
    max_wait_ms: key(nonNegative(), 50, "Longest wait of its first trajectory for further ones.", {
      unit: "ms",
      ...lists,
    }),
  }),
  timeout: key(positive(), 300, "Longest scoring of one trajectory; waiting for a slot does not count.", {
    unit: "s",
    differs: { verl: null, why: robust },
  }),
  on_error: key(
    z.string().regex(/^(retry(\(\d+\))?|(retry(\(\d+\))?\s+)?(fail|zero|drop_group))$/),
    "fail",
    "A scorer that throws or is too slow: end the run, score 0, drop the prompt group, or try again and then do so.",
    {
      form: "one of fail, zero, drop_group, retry or retry(n), also before an end, as in `retry(3) zero`",
      differs: { why: robust },
    },
  ),
  max_retries: key(natural(), 2, "Further attempts with `on_error: retry`.", { differs: { why: robust } }),
});
