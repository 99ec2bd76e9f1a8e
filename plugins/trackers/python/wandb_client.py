"""Weights & Biases. The client reads its own variables: WANDB_API_KEY, WANDB_ENTITY, WANDB_MODE, WANDB_BASE_URL and others."""

import os

import wandb


class Client:
    def __init__(self, start, run):
        settings = {"x_stats_pid": start["pid"]}  # Statistics of the machine are of the training process.
        if "WANDB_CONSOLE" not in os.environ:
            settings["console"] = "off"
        if start["proxy"]:
            settings.update(https_proxy=start["proxy"], http_proxy=start["proxy"])
        # Of a run that goes on; otherwise WANDB_RUN_ID and WANDB_RESUME decide.
        again = {"id": run, "resume": "allow"} if run else {}
        self._run = wandb.init(
            project=start["project"],
            name=start["experiment"],
            config=start["config"],
            dir=os.environ.get("WANDB_DIR") or start["outputDir"],
            settings=wandb.Settings(**settings),
            **again,
        )
        self.run = self._run.id
        self.place = self._run.url or "offline, in %s" % os.path.dirname(self._run.dir)

    def log(self, metrics, step, when):
        # Without `commit` a step would wait for the next one, and be lost in a kill.
        self._run.log({**metrics, **timestamp(when)}, step=step, commit=True)

    def table(self, name, rows, step, when):
        columns = ["step", "input", "output", "gts", "score"]
        data = [[step] + [row[column] for column in columns[1:]] for row in rows]
        # Metrics of the same step follow.
        self._run.log({name: wandb.Table(columns=columns, data=data), **timestamp(when)}, step=step, commit=False)

    def finish(self, exit_code):
        self._run.finish(exit_code=exit_code)


def timestamp(when):
    return {} if when is None else {"_timestamp": when}
