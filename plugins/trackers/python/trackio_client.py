"""Trackio. The client reads its own variables: TRACKIO_DIR, TRACKIO_SPACE_ID, TRACKIO_SERVER_URL, HF_TOKEN and others."""

import trackio


class Client:
    def __init__(self, start, run):
        self._run = trackio.init(
            project=start["project"],
            # It finds a run by its name.
            name=run or start["experiment"],
            config=start["config"],
            resume="allow" if run else "never",
        )
        self.run = self._run.name
        self.place = "run %s of project %s; `trackio show` opens it" % (self.run, start["project"])

    def log(self, metrics, step, when):
        trackio.log(metrics, step=step)

    def table(self, name, rows, step, when):
        trackio.log({name: trackio.Table(data=rows)}, step=step)

    def finish(self, exit_code):
        trackio.finish()
