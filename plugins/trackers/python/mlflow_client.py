"""MLflow. The client reads its own variables: MLFLOW_TRACKING_URI, MLFLOW_TRACKING_TOKEN and others."""

import os
import re
import time

# A server that does not answer is given up within a minute instead of some.
os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "3")

import mlflow
from mlflow.entities import Metric, Param

PARAMS_PER_REQUEST = 100
METRICS_PER_REQUEST = 1000
ATTEMPTS = 3
LONGEST_NAME = 250
LONGEST_VALUE = 6000


class Client:
    def __init__(self, start, run):
        self._client = mlflow.MlflowClient()
        joined = os.environ.get("MLFLOW_RUN_ID")
        if run or joined:
            self.run = mlflow.start_run(run_id=run or joined).info.run_id
        else:
            mlflow.set_experiment(start["project"])
            self.run = mlflow.start_run(run_name=start["experiment"]).info.run_id
        if not run:  # What is set cannot be changed.
            params = [Param(clean(key), value[:LONGEST_VALUE]) for key, value in flat(start["config"])]
            for group in groups(params, PARAMS_PER_REQUEST):
                patiently(lambda: self._client.log_batch(self.run, params=group))
        self.place = "run %s in %s" % (self.run, mlflow.get_tracking_uri())

    def log(self, metrics, step, when):
        at = int((time.time() if when is None else when) * 1000)
        entries = [Metric(clean(name), value, at, step) for name, value in metrics.items()]
        for group in groups(entries, METRICS_PER_REQUEST):
            patiently(lambda: self._client.log_batch(self.run, metrics=group))

    def table(self, name, rows, step, when):
        columns = {column: [row[column] for row in rows] for column in ("input", "output", "gts", "score")}
        columns = {"step": [step] * len(rows), **columns}
        patiently(lambda: self._client.log_table(self.run, columns, "%s/step_%06d.json" % (clean(name), step)))

    def finish(self, exit_code):
        mlflow.end_run("FINISHED" if exit_code == 0 else "FAILED")


def patiently(work):
    for attempt in range(ATTEMPTS):
        try:
            return work()
        except Exception:
            if attempt == ATTEMPTS - 1:
                raise
            time.sleep(2**attempt)


def groups(items, size):
    return [items[at : at + size] for at in range(0, len(items), size)]


def clean(name):
    """A name that MLflow takes: its characters, and a path that leads down."""
    kept = re.sub(r"[^A-Za-z0-9_\-. /]", "_", name.replace("@", "_at_"))
    parts = ["_" * len(part) if part in (".", "..") else part for part in kept.split("/") if part]
    return ("/".join(parts) or "_")[:LONGEST_NAME].rstrip("/")


def flat(value, key=""):
    """Pairs of key and text: `a.b` for sections, for lists `a.list_len` and `a.0`."""
    if isinstance(value, list):
        yield key + ".list_len", str(len(value))
        value = {str(i): item for i, item in enumerate(value)}
    if isinstance(value, dict):
        for name, item in value.items():
            yield from flat(item, "%s.%s" % (key, name) if key else name)
    else:
        yield key, str(value)
