"""
What a tracker holds after a run, as one line of JSON: `python read_back.py TRACKER FOLDER`. Read by the trackers' own code where
there is some for that, else from the files that their clients leave for uploading.
"""

import csv
import glob
import json
import math
import os
import struct
import subprocess
import sys
import time
import urllib.parse
import urllib.request


def main(tracker, folder):
    held = READERS[tracker](folder)
    held["scalars"] = {
        name: [[step, value if math.isfinite(value) else str(value)] for step, value in line]
        for name, line in held["scalars"].items()
    }
    print(json.dumps(held))


def tensorboard(folder):
    """Asks TensorBoard itself, over HTTP."""
    logs = os.path.join(folder, "events")
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "tensorboard.main", "--logdir", logs, "--port", str(port), "--host", "127.0.0.1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )

    def get(path, **query):
        url = "http://127.0.0.1:%d/data/%s?%s" % (port, path, urllib.parse.urlencode(query))
        with urllib.request.urlopen(url, timeout=60) as answer:
            return json.load(answer)

    try:
        # Until it has read the files: the last event of a run says how it ended.
        for _ in range(600):
            try:
                tags = get("plugin/scalars/tags")
                sessions = hparams(port)
                if tags and sessions and sessions[0]["status"] != "STATUS_UNKNOWN":
                    break
            except OSError:
                pass
            time.sleep(0.1)
        (run,) = tags
        scalars = {}
        for tag in tags[run]:
            # Numbers that are not finite are texts in its answers.
            points = get("plugin/scalars/scalars", run=run, tag=tag)
            scalars[tag] = [[step, float(value)] for _, step, value in points]
        texts = get("plugin/text/text", run=run, tag="val/generations")
        return {
            "scalars": scalars,
            "config": {**sessions[0]["hparams"]},
            "tables": [{"step": text["step"], "rows": rows_of_html(text["text"])} for text in texts],
            "ok": sessions[0]["status"] == "STATUS_SUCCESS",
        }
    finally:
        server.kill()
        server.wait()


def hparams(port):
    base = "http://127.0.0.1:%d/data/plugin/hparams/" % port

    def post(what, body):
        request = urllib.request.Request(
            base + what, json.dumps(body).encode(), {"content-type": "application/json"}, method="POST"
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    post("experiment", {"experimentName": ""})
    statuses = ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"]
    groups = post(
        "session_groups",
        {"experimentName": "", "allowedStatuses": statuses, "colParams": [], "startIndex": 0, "sliceSize": 10},
    )
    return [{"hparams": group["hparams"], "status": group["sessions"][0]["status"]} for group in groups["sessionGroups"]]


def rows_of_html(html):
    from html.parser import HTMLParser

    class Cells(HTMLParser):
        def __init__(self):
            super().__init__()
            self.rows = []

        def handle_starttag(self, tag, attrs):
            if tag == "tr":
                self.rows.append([])
            elif tag in ("td", "th"):
                self.rows[-1].append("")

        def handle_data(self, data):
            if self.rows and self.rows[-1]:
                self.rows[-1][-1] += data

    cells = Cells()
    cells.feed(html)
    rows = [[cell.strip("\n") for cell in row] for row in cells.rows]
    # A block of code in Markdown has one line feed at its end, whatever the text had.
    return [{"input": row[0] + "\n", "output": row[1], "gts": row[2], "score": float(row[3])} for row in rows[1:]]


def free_port():
    import socket

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def leveldb_records(file):
    """Of a log in LevelDB's format, which wandb and SwanLab keep."""
    with open(file, "rb") as opened:
        data = opened.read()
    at, parts = 7, []
    while at + 7 <= len(data):
        if 32768 - at % 32768 < 7:
            at += 32768 - at % 32768
            continue
        _, length, kind = struct.unpack("<IHB", data[at : at + 7])
        if kind == 0:
            break
        parts.append(data[at + 7 : at + 7 + length])
        at += 7 + length
        if kind in (1, 4):  # The whole of it, or its last part.
            yield b"".join(parts)
            parts = []


def wandb(folder):
    from wandb.proto import wandb_internal_pb2

    scalars, tables, config, ok, ids = {}, [], {}, None, set()
    for file in sorted(glob.glob(os.path.join(folder, "run", "wandb", "offline-run-*", "*.wandb"))):
        for data in leveldb_records(file):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(data)
            kind = record.WhichOneof("record_type")
            if kind == "run":
                ids.add(record.run.run_id)
                values = {item.key: json.loads(item.value_json) for item in record.run.config.update}
                config.update(flat({key: value for key, value in values.items() if not key.startswith("_")}))
            elif kind == "exit":
                ok = record.exit.exit_code == 0
            elif kind == "history":
                row = {}
                for item in record.history.item:
                    *above, last = item.nested_key or [item.key]
                    place = row
                    for part in above:
                        place = place.setdefault(part, {})
                    place[last] = json.loads(item.value_json)
                step = row.get("_step", record.history.step.num)
                for name, value in row.items():
                    if name == "val/generations":
                        path = os.path.join(os.path.dirname(file), "files", value["path"])
                        with open(path, encoding="utf-8") as opened:
                            table = json.load(opened)
                        rows = [dict(zip(table["columns"], cells)) for cells in table["data"]]
                        assert all(cells.pop("step") == step for cells in rows)
                        tables.append({"step": step, "rows": rows})
                    elif not name.startswith("_"):
                        scalars.setdefault(name, []).append([step, float(value)])
    assert len(ids) == 1, "the parts of the run have the names %s" % ids
    return {"scalars": scalars, "config": config, "tables": tables, "ok": ok}


def swanlab(folder):
    import yaml
    from swanlab.proto.swanlab.record.v1 import record_pb2
    from swanlab.proto.swanlab.run.v1 import run_pb2

    scalars, tables, config, ok, ids = {}, [], {}, None, set()
    for file in sorted(glob.glob(os.path.join(folder, "run", "swanlog", "run-*", "*.swanlab"))):
        at = os.path.dirname(file)
        ids.add(at.rsplit("-", 1)[1])
        with open(os.path.join(at, "files", "config.yaml"), encoding="utf-8") as opened:
            config.update(flat({key: entry["value"] for key, entry in yaml.safe_load(opened).items()}))
        for data in leveldb_records(file):
            record = record_pb2.Record()
            record.ParseFromString(data)
            if record.HasField("scalar"):
                line = scalars.setdefault(record.scalar.key, [])
                line.append([record.scalar.step, record.scalar.value.number])
            elif record.HasField("media"):
                (item,) = record.media.value.items
                with open(os.path.join(at, "media", "echarts", item.filename), encoding="utf-8") as opened:
                    tables.append({"step": record.media.step, "rows": json.load(opened)["rowData"]})
            elif record.HasField("finish"):
                ok = record.finish.state == run_pb2.RUN_STATE_FINISHED
    assert len(ids) == 1, "the parts of the run have the names %s" % ids
    return {"scalars": scalars, "config": config, "tables": tables, "ok": ok}


def trackio(folder):
    from trackio.sqlite_storage import SQLiteStorage

    logs = SQLiteStorage.get_logs("project", "experiment")
    scalars, tables = {}, []
    for row in logs:
        for name, value in row.items():
            if name == "val/generations":
                tables.append({"step": row["step"], "rows": value["_value"]})
            elif name not in ("step", "timestamp"):
                scalars.setdefault(name, []).append([row["step"], float(value)])
    config = SQLiteStorage.get_run_config("project", "experiment")
    config = flat({key: value for key, value in config.items() if not key.startswith("_")})
    # It does not know how a run ended.
    return {"scalars": scalars, "config": config, "tables": tables, "ok": True}


def mlflow(folder):
    import mlflow

    client = mlflow.MlflowClient()
    experiment = client.get_experiment_by_name("project")
    (run,) = client.search_runs([experiment.experiment_id])
    scalars = {
        name: [[point.step, point.value] for point in client.get_metric_history(run.info.run_id, name)]
        for name in run.data.metrics
    }
    tables = []
    for artifact in client.list_artifacts(run.info.run_id, "val/generations"):
        table = json.loads(mlflow.artifacts.load_text(run.info.artifact_uri + "/" + artifact.path))
        rows = [dict(zip(table["columns"], cells)) for cells in table["data"]]
        (step,) = {cells.pop("step") for cells in rows}
        tables.append({"step": step, "rows": rows})
    config = {key: int(value) if value.isdigit() else value for key, value in run.data.params.items()}
    return {"scalars": scalars, "config": config, "tables": tables, "ok": run.info.status == "FINISHED"}


def from_csv(folder):
    with open(os.path.join(folder, "a.csv"), encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    return table_of(rows, lambda cell: None if cell == "" else float(cell))


def from_parquet(folder):
    import pyarrow.parquet

    return table_of(pyarrow.parquet.read_table(os.path.join(folder, "a.parquet")).to_pylist(), lambda cell: cell)


def table_of(rows, number):
    scalars = {}
    for row in rows:
        for name, cell in row.items():
            if name in ("step", "time") or number(cell) is None:
                continue
            scalars.setdefault(name, []).append([int(row["step"]), number(cell)])
    return {"scalars": scalars, "config": {}, "tables": [], "ok": True}


def flat(value, key=""):
    if not isinstance(value, dict):
        return {key: value}
    found = {}
    for name, item in value.items():
        found.update(flat(item, "%s.%s" % (key, name) if key else name))
    return found


READERS = {
    "tensorboard": tensorboard,
    "wandb": wandb,
    "swanlab": swanlab,
    "trackio": trackio,
    "mlflow": mlflow,
    "csv": from_csv,
    "parquet": from_parquet,
}

if __name__ == "__main__":
    main(*sys.argv[1:])
