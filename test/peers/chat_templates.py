"""Make test/fixtures/data/chat-templates/goldens.json: what `transformers` renders for the templates and snippets in that folder.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install transformers==5.24.0 jinja2==3.1.6
    /tmp/peers/bin/python test/peers/chat_templates.py
"""

import copy
import datetime
import json
import pathlib
import warnings

import transformers.utils.chat_template_utils as chat

FOLDER = pathlib.Path(__file__).parents[1] / "fixtures" / "data" / "chat-templates"
warnings.simplefilter("ignore")


class Clock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2026, 3, 5, 9, 7, 3)


chat.datetime = Clock

SNIPPET_VARIABLES = {
    "messages": [
        {"role": "system", "content": "You are <b>"},
        {"role": "user", "content": "Hi é 🙂", "n": 3},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1, "b": [1.5, None, True]}}}],
        },
    ],
    "tools": None,
    "documents": None,
    "add_generation_prompt": True,
    "bos_token": "<s>",
    "xs": [3, 1, 2],
    "d": {"b": 2, "a": 1, "C": 3},
    "users": [
        {"n": "bob", "a": 3, "t": {"x": 1}},
        {"n": "Ann", "a": 1, "t": {"x": 2}},
        {"n": "cy", "a": 2, "t": {"x": 1}},
        {"n": "ANN", "a": 5, "t": {"x": 9}},
    ],
    "s": "Hello World foo-bar",
}

user = lambda text: {"role": "user", "content": text}
assistant = lambda text, **more: {"role": "assistant", "content": text, **more}
call = {"type": "function", "function": {"name": "weather", "arguments": {"city": "Åre", "days": 3, "scale": 0.5}}}
tool = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "It's <fine> & \"dry\"",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
CONVERSATIONS = {
    "one turn": {"messages": [user("Hi")]},
    "system": {"messages": [{"role": "system", "content": " Be brief.\n"}, user("2+2?"), assistant("4"), user("é 世界 🙂\n")]},
    "no prompt": {"messages": [user("a"), assistant("b")], "add_generation_prompt": False},
    "tools": {
        "messages": [
            user("Weather?"),
            assistant("", tool_calls=[call, call]),
            {"role": "tool", "content": '{"t": -3.5}'},
            {"role": "tool", "content": "x"},
            assistant("Cold."),
        ],
        "tools": [tool],
    },
    "think": {
        "messages": [user("q1"), assistant("<think>\nhm\n</think>\n\na1"), user("q2"), assistant("<think>\nwell\n</think>\n\na2")],
        "add_generation_prompt": False,
    },
    "no thinking": {"messages": [user("q")], "enable_thinking": False},
    "null content": {"messages": [user("a"), assistant(None), user("b")]},
}


def render(template, variables):
    try:
        compiled = chat._compile_jinja_template(template)
        return {"text": compiled.render(**copy.deepcopy(variables))}
    except Exception:  # noqa: BLE001 - every Python error is the same answer here
        return {"error": True}


base = {"tools": None, "documents": None, "add_generation_prompt": True, "bos_token": "<s>", "eos_token": "</s>"}
out = {
    "variables": SNIPPET_VARIABLES,
    "snippets": [
        {"template": template, **render(template, SNIPPET_VARIABLES)} for template in json.loads((FOLDER / "snippets.json").read_text())
    ],
    "conversations": {name: {**base, **variables} for name, variables in CONVERSATIONS.items()},
    "families": {
        path.name: {name: render(path.read_text(), {**base, **variables}) for name, variables in CONVERSATIONS.items()}
        for path in sorted(FOLDER.glob("*.jinja"))
    },
}
target = FOLDER / "goldens.json"
target.write_text(json.dumps(out, indent=0) + "\n")
print(f"wrote {target}: {len(out['snippets'])} snippets, {len(out['families'])} templates, {target.stat().st_size} bytes")
