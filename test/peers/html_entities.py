"""Make core/data/chat-template/html-entities.ts from Python's table of HTML5's named character references.

    python3 test/peers/html_entities.py
"""

import html.entities
import pathlib
import unicodedata

TARGET = pathlib.Path(__file__).parents[2] / "core" / "data" / "chat-template" / "html-entities.ts"


def escaped(text):
    out = ""
    for character in text:
        code = ord(character)
        if character in '\\"' or unicodedata.category(character)[0] in "CZM":
            out += f"\\u{code:04x}" if code <= 0xFFFF else f"\\u{{{code:x}}}"
        else:
            out += character
    return out


entities = html.entities.html5
lines = [""]
for name in sorted(name[:-1] for name in entities if name.endswith(";")):
    entry = f"{'!' if name in entities else ''}{name}={escaped(entities[name + ';'])} "
    if len(lines[-1]) + len(entry) > 112:
        lines.append("")
    lines[-1] += entry
body = "\n".join(f'  "{line}",' for line in lines)
TARGET.write_text(
    "/** Named character references of HTML5, made by test/peers/html_entities.py. Those after `!` need no semicolon. */\n"
    f"export const HTML_ENTITIES = [\n{body}\n].join(\"\");\n"
)
print(f"wrote {TARGET}: {len(entities)} names, {TARGET.stat().st_size} bytes")
