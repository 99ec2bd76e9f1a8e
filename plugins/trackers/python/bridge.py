"""
Hands what a run logs to the official Python client of a tracker.

    python bridge.py --check PACKAGE   says which versions are installed, as one line of JSON; runs nothing of the package
    python bridge.py CLIENT            takes messages, a JSON object a line, and answers each with one on standard output

The first message is "start"; "log" and "table" follow in any order, and "finish" ends it. An answer comes when the client has
taken a message: {"type": "ready", "place"}, {"type": "done"}, {"type": "had"} for what it has from an earlier part of the run,
{"type": "failed", "message"}, {"type": "finished"}; what keeps the run from beginning is {"type": "error", "message"}. What a client prints goes to standard error.

Standard input that ends without "finish" means that the run is gone: the client's run is ended as a failed one, and however
that goes, this process is gone some seconds later.
"""

import importlib
import importlib.util
import json
import os
import queue
import sys
import threading
import time

# How long the client may take to end its run when nobody waits for it any more.
GRACE_S = 30
LONGEST_REASON = 2000


def main():
    if sys.argv[1] == "--check":
        print(json.dumps({"python": "%d.%d.%d" % sys.version_info[:3], "client": version_of(sys.argv[2])}))
        return 0
    # What the client prints must not be taken for an answer, and what it asks for must not eat messages.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sender = os.fdopen(os.dup(0), "rb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

    def answer(kind, **rest):
        try:
            answers.write(json.dumps({"type": kind, **rest}) + "\n")
            answers.flush()
        except OSError:
            pass  # The run is gone.

    messages = queue.Queue()
    threading.Thread(target=read, args=(sender, messages), daemon=True).start()
    return serve(sys.argv[1], messages, answer)


def version_of(package):
    """None if it is not installed."""
    from importlib import metadata

    if importlib.util.find_spec(package) is None:
        return None
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown version"


def read(sender, messages):
    # The sender waits for answers, so this queue stays small.
    for line in sender:
        if line.endswith(b"\n"):  # Else the sender was killed in the middle of it.
            messages.put(json.loads(line))
    # Nobody reads what the client prints any more, and it must not fail at that.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    messages.put({"type": "finish", "exitCode": 1})
    time.sleep(GRACE_S)
    os._exit(1)


def serve(name, messages, answer):
    start = messages.get()
    if start["type"] != "start":
        return 1
    record = Record(start["record"], start["resumed"])
    try:
        client = importlib.import_module(name + "_client").Client(start, record.run)
    except (Exception, SystemExit) as error:
        answer("error", message=reason_of(error))
        return 1
    record.run = client.run
    record.save()
    answer("ready", place=client.place)
    while True:
        message = messages.get()
        if message["type"] == "finish":
            break
        try:
            answer("done" if take(client, record, message) else "had")
        except Exception as error:
            answer("failed", message=reason_of(error))
    client.finish(message["exitCode"])
    answer("finished")
    return 0


def take(client, record, message):
    """False for a step that the tracker has from an earlier part of the run."""
    kind, step, when = message["type"], message["step"], message["time"]
    if record.has(kind, step):
        return False
    if kind == "log":
        # What is not finite stands as a text.
        client.log({name: float(value) for name, value in message["metrics"].items()}, step, when)
    elif kind == "table":
        client.table(message["name"], message["rows"], step, when)
    record.note(kind, step)
    return True


class Record:
    """
    What the tracker has of the run, in a file of the run's folder: a run that goes on continues the same run of the tracker,
    and a step that it repeats is not logged a second time.
    """

    def __init__(self, file, resumed):
        self.file = file
        self.run = None
        self.steps = {}
        if resumed:
            try:
                with open(file, encoding="utf-8") as opened:
                    kept = json.load(opened)
                self.run, self.steps = kept["run"], kept["steps"]
            except (OSError, ValueError, KeyError):
                pass  # The earlier part was logged elsewhere, or not at all.
        self.earlier = dict(self.steps)

    def has(self, kind, step):
        return step <= self.earlier.get(kind, -1)

    def note(self, kind, step):
        self.steps[kind] = step
        self.save()

    def save(self):
        os.makedirs(os.path.dirname(self.file), exist_ok=True)
        beside = self.file + ".tmp"
        with open(beside, "w", encoding="utf-8") as opened:
            json.dump({"run": self.run, "steps": self.steps}, opened)
        os.replace(beside, self.file)


def reason_of(error):
    return ("%s: %s" % (type(error).__name__, error))[:LONGEST_REASON]


if __name__ == "__main__":
    sys.exit(main())
