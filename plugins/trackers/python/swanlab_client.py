"""SwanLab. The client reads its own variables: SWANLAB_API_KEY, SWANLAB_MODE, SWANLAB_WORKSPACE and others."""

import os

import swanlab


class Client:
    def __init__(self, start, run):
        options = {}
        if not (os.environ.get("SWANLAB_LOG_DIR") or os.environ.get("SWANLAB_LOGDIR")):
            options["logdir"] = os.path.join(start["outputDir"], "swanlog")
        if run:
            options.update(id=run, resume="allow")
        self._run = swanlab.init(
            project=start["project"],
            # Of its two names for this the one that older versions know, too.
            experiment_name=start["experiment"],
            config=start["config"],
            **options,
        )
        self.run = self._run.id
        try:
            self.place = self._run.url
        except Exception:
            self.place = "offline, in %s" % self._run.dir

    def log(self, metrics, step, when):
        swanlab.log(metrics, step=step)

    def table(self, name, rows, step, when):
        columns = ["input", "output", "gts", "score"]
        table = swanlab.echarts.Table()
        table.add(columns, [[row[column] for column in columns] for row in rows])
        swanlab.log({name: table}, step=step)

    def finish(self, exit_code):
        if exit_code == 0:
            swanlab.finish()
        else:
            swanlab.finish("crashed", "the run ended with an error")
