"""Write random chat templates as conformance cases, with what Python's Jinja makes of them.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install jinja2==3.1.6
    /tmp/peers/bin/python test/peers/random_templates.py --seed 1 --count 5000 /tmp/random-cases
    npm run cases -- /tmp/random-cases

Templates are put together from the grammar: every filter, test, method, operator and statement, mostly with arguments that fit and now
and then with ones that do not. Others are the templates of test/cases with small damages, or with random conversations. Values whose
text holds a memory address are left out.
"""

import argparse
import copy
import datetime
import json
import pathlib
import random
import re
import signal

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.sandbox


class Generation(jinja2.ext.Extension):
    """`{% generation %}` as transformers defines it."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_generation_support"), [], [], body).set_lineno(line)

    @jinja2.pass_eval_context
    def _generation_support(self, context, caller):
        return caller()


NOW = datetime.datetime(2026, 1, 2, 3, 4, 5)


def environment():
    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def strftime_now(format):
        return NOW.strftime(format)

    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = strftime_now
    return env


EXTRA = {
    "s": "Hello World foo-bar",
    "sp": "  pad\t\n",
    "html": "<b class='x'>A &amp; \"B\"</b> <!-- c --> &lt;",
    "uni": "Straße ÉCOLE ŒUF ǆ 世界 🙂 Σίσυφος ΟΔΟΣ",
    "lines": "one\ntwo\r\n\nthree\x0bfour\u2028five",
    "num": "42",
    "empty": "",
    "i": 7,
    "neg": -3,
    "zero": 0,
    "big": 12345678901234567890123,
    "f": 2.5,
    "g": -0.0,
    "h": 1e20,
    "t": True,
    "fa": False,
    "no": None,
    "xs": [3, 1, 2],
    "mixed": [1, "a", None, 2.5, True, [1], {"k": "v"}],
    "words": ["b", "A", "c", "a", "B"],
    "floats": [1.5, 2.0, -0.5, 1e-7],
    "nested": [[1, 2], [3], [], [[4]]],
    "pairs": [["a", 1], ["b", 2]],
    "d": {"b": 2, "a": 1, "C": 3},
    "deep": {"x": {"y": [1, {"z": "q"}]}, "items": 5, "1": "one"},
    "users": [
        {"n": "bob", "a": 3, "t": {"x": 1}, "on": True},
        {"n": "Ann", "a": 1, "t": {"x": 2}, "on": False},
        {"n": "cy", "a": 2, "t": {"x": 1}},
        {"n": "ANN", "a": 5, "t": {"x": 9}, "on": None},
    ],
}
MESSAGES = [
    {"role": "system", "content": "You are <b>"},
    {"role": "user", "content": "Hi é 🙂", "n": 3},
    {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1.0}}}]},
]
VARIABLES = {
    "string": ["s", "sp", "html", "uni", "lines", "num", "empty", "messages[1].content", "words[0]", "users[0].n"],
    "integer": ["i", "neg", "zero", "big", "xs[0]", "users[1].a", "d.a"],
    "float": ["f", "g", "h", "floats[3]"],
    "boolean": ["t", "fa", "add_generation_prompt"],
    "list": ["xs", "mixed", "words", "floats", "nested", "pairs", "users", "messages"],
    "dict": ["d", "deep", "users[0]", "messages[2]"],
    "none": ["no", "none", "tools", "documents"],
    "undefined": ["nope", "d.nope", "xs[99]", "users[0]['zz']", "s.nope"],
}
STRINGS = [
    "''", "'a'", "'abc'", "'Hello World'", "\"it's\"", "'a,b,,c'", "' x '", "'ab\\tc\\n'", "'\\u00e9'", "'\\x41\\101\\n\\q'", "'é🙂'",
    "'ß'", "'ΑΣ'", "'<b>&'", "'%s'", "'%d'", "'{}'", "'{0}'", "'-5'", "'+1_0'", "'0x1F'", "'1e3'", "'inf'", "'nan'", "'3.7'", "'x=1'",
    "'foo bar baz qux'", "'A'", "'aXbXc'", "'X'", "','", "' '", "'\\n'", "'b'", "'item'", "'a.b'", "'n'", "'2'", "'Ǆǆ'", "'\\\\'",
]
INTEGERS = ["0", "1", "2", "3", "5", "-1", "-2", "10", "100", "1_000", "0x1F", "0b101", "0o17", "-7", "255", "2**70"]
FLOATS = ["0.0", "1.0", "2.5", "-2.5", "0.1", "3.14159", "1e3", "1e-7", "1.5e300", "-0.0", "1e16", "123456.789", "0.5", "1.5"]

FILTERS = {
    "string": [
        "upper", "lower", "title", "capitalize", "trim", "trim(@s)", "center", "center(@n)", "replace(@s, @s)", "replace(@s, @s, @n)",
        "indent", "indent(@n)", "indent(@s, @b)", "indent(width=@n, first=@b, blank=@b)", "truncate(@n)", "truncate(@n, @b)",
        "truncate(@n, @b, @s)", "truncate(length=@n, killwords=@b, end=@s, leeway=@n)", "wordcount", "string", "safe", "e", "escape",
        "forceescape", "striptags", "urlencode", "format(@a)", "format(@a, @a)", "format(x=@a)", "length", "int", "int(@a)",
        "int(@n, @n)", "int(base=@n)", "float", "float(@a)", "list", "first", "last", "reverse", "default(@a)", "d(@a, @b)", "join(@s)",
        "tojson", "count", "attr(@s)", "unique | list", "sort", "batch(@n) | list", "map('upper') | join", "safe | upper", "e | length",
    ],
    "integer": [
        "abs", "int", "float", "round", "round(@n)", "round(@n, 'ceil')", "round(method='floor')", "round(precision=@n, method=@s)",
        "string", "tojson", "default(@a)", "e", "urlencode", "center(@n)", "upper", "int(@a, @n)", "float(@a)", "trim",
    ],
    "float": ["abs", "int", "float", "round", "round(@n)", "round(@n, 'ceil')", "round(@n, 'floor')", "string", "tojson", "round | int"],
    "boolean": ["int", "float", "abs", "string", "tojson", "default(@a, @b)", "lower", "round"],
    "list": [
        "length", "count", "first", "last", "join", "join(@s)", "join(@s, attribute=@k)", "list", "reverse | list", "reverse", "sort",
        "sort(@b)", "sort(reverse=@b, case_sensitive=@b)", "sort(attribute=@k)", "sort(false, true, @k)", "unique | list",
        "unique(@b) | list", "unique(attribute=@k) | list", "min", "max", "min(@b)", "max(attribute=@k)", "sum", "sum(attribute=@k)",
        "sum(start=@a)", "sum(@k, @n)", "batch(@n) | list", "batch(@n, @a) | list", "slice(@n) | list", "slice(@n, @a) | list",
        "slice(slices=@n, fill_with=@a) | list", "batch(linecount=@n) | list", "map('upper') | list", "map('int') | list",
        "map(attribute=@k) | list", "map(attribute=@k, default=@a) | list", "map(@f) | list", "map('round', @n) | list",
        "map('replace', @s, @s) | list", "map('default', @a) | list", "map('join', @s) | list", "map('tojson') | join",
        "select | list", "reject | list", "select(@t) | list", "reject(@t) | list", "select('gt', @n) | list", "select('in', @l) | list",
        "selectattr(@k) | list", "rejectattr(@k) | list", "selectattr(@k, @t) | list", "rejectattr(@k, 'eq', @a) | list",
        "selectattr(@k, 'gt', @n) | list", "groupby(@k)", "groupby(@k, default=@a)", "groupby(attribute=@k, case_sensitive=@b)",
        "groupby(@k) | map('first') | list", "tojson", "tojson(indent=@n)", "tojson(ensure_ascii=@b, indent=@n)", "string",
        "tojson(separators=(@s, @s))", "items | list", "urlencode", "default(@a, true)", "e", "map('length') | list",
        "groupby(@k) | map(attribute='list') | map('length') | list", "length is @t",
    ],
    "dict": [
        "length", "list", "first", "last", "join(@s)", "items | list", "dictsort", "dictsort(@b)", "dictsort(by=@by)",
        "dictsort(@b, @by, @b)", "dictsort(reverse=@b)", "tojson", "tojson(indent=@n)", "tojson(sort_keys=@b, indent=@n)",
        "tojson(sort_keys=true)", "urlencode", "string", "attr(@s)", "attr('items')", "map('upper') | list", "sort", "max", "unique | list",
        "reverse | list", "default(@a)", "tojson(indent='\\t')", "e",
    ],
    "none": ["default(@a)", "default(@a, true)", "string", "tojson", "int", "float", "e", "upper", "length", "join", "list", "trim"],
    "undefined": [
        "default(@a)", "d(@a, @b)", "string", "upper", "length", "list", "join", "int", "float", "items | list", "first", "last", "e",
        "tojson", "trim", "sum", "sort", "map('upper') | list", "urlencode", "reverse | list", "abs", "round", "title", "wordcount",
        "select | list", "groupby(@k)", "dictsort", "unique | list", "min", "indent", "truncate", "replace(@s, @s)", "attr('x')", "safe",
    ],
}
METHODS = {
    "string": [
        "upper()", "lower()", "title()", "capitalize()", "swapcase()", "casefold()", "strip()", "strip(@s)", "lstrip(@s)", "rstrip()",
        "rstrip(@s)", "split()", "split(@s)", "split(@s, @n)", "split(maxsplit=@n)", "split(sep=@s, maxsplit=@n)", "rsplit(@s, @n)",
        "rsplit(none, @n)", "splitlines()", "splitlines(@b)", "splitlines(keepends=@b)", "partition(@s)", "rpartition(@s)",
        "replace(@s, @s)", "replace(@s, @s, @n)", "startswith(@s)", "startswith((@s, @s))", "endswith(@s)", "endswith(@s, @n)",
        "startswith(@s, @n, @n)", "find(@s)", "find(@s, @n)", "rfind(@s)", "find(@s, @n, @n)", "index(@s)", "rindex(@s)", "count(@s)",
        "count(@s, @n)", "join(@l)", "join(words)", "removeprefix(@s)", "removesuffix(@s)", "zfill(@n)", "center(@n)", "center(@n, @s)",
        "ljust(@n)", "ljust(@n, @s)", "rjust(@n, @s)", "expandtabs()", "expandtabs(@n)", "expandtabs(tabsize=@n)", "isdigit()",
        "isdecimal()", "isnumeric()", "isalpha()", "isalnum()", "isascii()", "isspace()", "isupper()", "islower()", "istitle()",
        "isidentifier()", "isprintable()", "format(@a)", "format(@a, @a)", "format(x=@a)", "format_map(@d)", "nope()", "upper(@s)",
        "translate({97: @s, 98: none})", "translate(''.maketrans('ab', 'xy'))",
    ],
    "list": ["count(@a)", "index(@a)", "index(@a, @n)", "copy()", "append(@a)", "pop()", "sort()", "reverse()", "insert(0, @a)"],
    "dict": [
        "keys()", "values()", "items()", "get(@s)", "get(@s, @a)", "copy()", "update(@d)", "pop(@s)", "keys() | list", "items() | list",
        "values() | sum", "get(@k)", "setdefault(@s, 1)", "clear()",
    ],
    "integer": ["bit_length()", "real", "imag", "numerator", "conjugate()"],
    "float": ["is_integer()", "real", "as_integer_ratio()"],
    "boolean": ["real", "bit_length()"],
    "none": ["x"],
    "undefined": ["x", "upper()"],
}
TESTS = [
    "defined", "undefined", "none", "boolean", "true", "false", "integer", "float", "number", "string", "mapping", "sequence", "iterable",
    "callable", "lower", "upper", "escaped", "odd", "even", "divisibleby(@n)", "divisibleby @n", "sameas none", "sameas true", "in @l",
    "in(@s)", "eq(@a)", "equalto @a", "ne @a", "gt(@n)", "greaterthan(@n)", "ge @n", "lt @n", "lessthan(@n)", "le(@n)", "filter", "test",
    "divisibleby(num=@n)", "odd(@n)", "defined(@n)",
]
TEST_NAMES = ["odd", "even", "defined", "undefined", "none", "string", "number", "integer", "mapping", "iterable", "lower", "upper", "true", "boolean", "sequence"]
KEYS = ["'n'", "'a'", "'t.x'", "'on'", "'role'", "'content'", "0", "'0'", "'n,a'", "'zz'", "1", "'t.x,n'", "none"]
FILTER_NAMES = ["upper", "lower", "int", "float", "string", "length", "first", "last", "list", "abs", "sort", "tojson", "trim", "sum", "round", "e", "title", "capitalize", "reverse", "max", "join", "nosuch", "safe", "d"]
PERCENT = ["%s", "%r", "%a", "%d", "%5d", "%-5d|", "%05d", "%+d", "% d", "%x", "%#x", "%X", "%o", "%#o", "%e", "%.3e", "%f", "%.2f", "%8.3f", "%-8.2f|", "%+.1f", "%g", "%.3g", "%G", "%#g", "%c", "%i", "%u", "%%", "%5s", "%-5s|", "%.2s", "%5.1s", "%*d", "%.*f", "%(a)s", "%(n)s", "%(zz)s", "%ld", "%08.2f", "%+08d", "%q", "%", "%5%", "%.0f", "%#.0f", "%.10g", "%E", "%F"]
SPECS = ["", "5", "<5", ">5", "^6", "*^7", "05", "+", " ", "d", "5d", "+d", "x", "#x", "X", "#X", "o", "#o", "b", "#b", "010b", "c", "e", ".2e", "f", ".2f", "8.3f", "+.1f", "08.2f", "g", ".3g", "G", "%", ".1%", "n", "s", ".2s", "10s", ",", ",d", "_", "_x", ",.2f", "012,", "012,d", ">10,.1f", "=6", "*=8d", "z", "z.1f", "E", ".0f", "#.0f", "=+7", "-", ".3", "10.3", "#g", "q", ".2d", "08", "<08", "^-9.1f", "5.", "5..2", "é^5", "05s", "#s", "+s", "_b", ",x", "020_x", "F", "1.5", "020,.3f", "_.2f", "#o", ".0e", ".0g", "#.3g", "%%"]
FIELDS = ["{}", "{0}", "{1}", "{x}", "{0!r}", "{!s}", "{!a}", "{0.a}", "{0[a]}", "{0[0]}", "{:>{}}", "{:{}}", "{{", "}}", "{", "}", "{x.y}", "{0!z}", "{ }", "{-1}", "{0[-1]}", "{0.real}", "{a}", "{.a}", "{[a]}", "{0[a}", "{0!}", "{0:}", "{:{}.{}f}"]
STRFTIME = ["%Y-%m-%d", "%d %b %Y", "%e", "%-d", "%-m", "%_d", "%H:%M:%S", "%I", "%-I", "%p", "%P", "%j", "%-j", "%y", "%C", "%A", "%a", "%B", "%^a", "%^B", "%#p", "%#Z", "%U", "%W", "%V", "%G", "%g", "%u", "%w", "%s", "%c", "%x", "%X", "%D", "%F", "%T", "%R", "%r", "%h", "%n", "%t", "%%", "%k", "%l", "%5d", "%05Y", "%_5m", "%Ey", "%Od", "%f", "%z", "%Z", "%Q", "%", "%-H", "%é", "%+", "%N", "%-y", "%10A", "%010B", "%-e", "%0e", "%_H", "%3S", "%E", "%-"]
GLOBALS = ["range(@n)", "range(@n, @n)", "range(@n, @n, @n)", "dict(a=@a)", "dict(@d, b=@a)", "dict(pairs)", "namespace(a=@a)", "namespace(@d).a", "cycler(@a, @a).next()", "cycler(@a).current", "joiner(@s)()", "joiner()", "range(@n) | list", "range(@n)[@n]", "range(@n, @n)[::@n]", "dict(@a)", "range(@a)", "cycler()", "namespace()", "dict", "range(@n) | sum", "range(@n) | length", "@n in range(@n)"]
FOLDS = ["+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or"]
KINDS = list(VARIABLES)


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = []

    def pick(self, items):
        return self.random.choice(items)

    def chance(self, share):
        return self.random.random() < share

    def fill(self, text, depth):
        """Replace @-marks by arguments."""
        makers = {
            "s": lambda: self.expression("string", depth),
            "n": lambda: self.pick(INTEGERS[:11]) if self.chance(0.9) else self.expression(None, depth),
            "b": lambda: self.pick(["true", "false"]) if self.chance(0.9) else self.expression(None, depth),
            "a": lambda: self.expression(None, depth),
            "l": lambda: self.expression("list", depth),
            "d": lambda: self.expression("dict", depth),
            "k": lambda: self.pick(KEYS),
            "t": lambda: f"'{self.pick(TEST_NAMES)}'",
            "f": lambda: f"'{self.pick(FILTER_NAMES)}'",
            "by": lambda: self.pick(["'key'", "'value'", "'x'"]),
        }
        return re.sub(r"@(by|[snbaldktf])", lambda match: makers[match[1]](), text)

    def kind(self):
        return self.random.choices(KINDS, [8, 5, 3, 2, 6, 4, 1, 2])[0]

    def expression(self, kind=None, depth=0):
        if kind is None or self.chance(0.08):
            kind = self.kind()
        if depth > 2 or self.chance(0.45):
            return self.atom(kind)
        depth += 1
        pick = self.random.random()
        if pick < 0.4:
            return f"({self.expression(kind, depth)} | {self.fill(self.pick(FILTERS[kind]), depth)})"
        if pick < 0.6:
            return f"{self.atom(kind)}.{self.fill(self.pick(METHODS[kind]), depth)}"
        if pick < 0.7:
            return f"({self.expression(kind, depth)} {self.pick(FOLDS)} {self.expression(kind if self.chance(0.7) else None, depth)})"
        if pick < 0.76:
            return f"({self.expression(None, depth)} is {'not ' if self.chance(0.2) else ''}{self.fill(self.pick(TESTS), depth)})"
        if pick < 0.82:
            return f"{self.atom(self.pick(['string', 'list', 'dict']))}[{self.subscript(depth)}]"
        if pick < 0.86:
            return f"({self.expression(kind, depth)} if {self.expression(None, depth)}{' else ' + self.expression(None, depth) if self.chance(0.7) else ''})"
        if pick < 0.9:
            return self.fill(self.pick(GLOBALS), depth)
        if pick < 0.95:
            return self.formatting(depth)
        return self.pick(["-", "+", "not ", "- -", "-+"]) + self.expression(kind, depth)

    def formatting(self, depth):
        pick = self.random.random()
        value = lambda: self.expression(self.pick(["integer", "float", "string", "boolean", None]), depth)
        if pick < 0.4:
            spec = self.pick(SPECS)
            return f"'{{:{spec}}}'.format({value()})"
        if pick < 0.55:
            fields = " ".join(self.pick(FIELDS) for _ in range(self.random.randint(1, 3)))
            return f"'{fields}'.format({value()}, {value()}, x={value()})"
        directives = " ".join(self.pick(PERCENT) for _ in range(self.random.randint(1, 2)))
        argument = self.pick([lambda: f"({value()},)", lambda: f"({value()}, {value()})", value, lambda: self.expression("dict", depth)])()
        return f"('{directives}' % {argument})" if pick < 0.9 else f"strftime_now('{self.pick(STRFTIME)}')"

    def subscript(self, depth):
        number = lambda: self.pick(["0", "1", "-1", "2", "-3", "99", ""])
        pick = self.random.random()
        if pick < 0.35:
            return self.pick(["0", "1", "-1", "2", "-9", "'a'", "'b'", "'x'", "1.0", "none", "true"])
        if pick < 0.65:
            return f"{number()}:{number()}"
        if pick < 0.9:
            return f"{number()}:{number()}:{self.pick(['1', '2', '-1', '-2', '0', ''])}"
        return self.expression(None, depth)

    def atom(self, kind):
        if self.names and self.chance(0.15):
            return self.pick(self.names)
        if self.chance(0.5):
            return self.pick(VARIABLES[kind])
        if kind == "string":
            return self.pick(STRINGS)
        if kind == "integer":
            return self.pick(INTEGERS)
        if kind == "float":
            return self.pick(FLOATS)
        if kind == "boolean":
            return self.pick(["true", "false", "True", "False"])
        if kind == "list":
            items = [self.atom(self.pick(["string", "integer", "float", "boolean", "none"])) for _ in range(self.random.randint(0, 4))]
            if self.chance(0.5):
                same = self.pick(["string", "integer", "float"])
                items = [self.atom(same) for _ in items]
            return f"[{', '.join(items)}]" if self.chance(0.75) or not items else f"({', '.join(items)},)"
        if kind == "dict":
            keys = ["'a'", "'b'", "'n'", "1", "true", "2.0", "none", "(1, 2)", "'é'", "'\\n'"]
            parts = [f"{self.pick(keys)}: {self.atom(self.pick(KINDS[:4]))}" for _ in range(self.random.randint(0, 3))]
            return "{" + ", ".join(parts) + "}"
        return self.pick(VARIABLES[kind])

    # Statements

    def tag(self, text):
        left, right = self.pick(["", "", "", "-", "+"]), self.pick(["", "", "", "-", "+"])
        return f"{{%{left} {text} {right}%}}"

    def show(self, text):
        left, right = self.pick(["", "", "", "-"]), self.pick(["", "", "", "-"])
        return f"{{{{{left} {text} {right}}}}}"

    def text(self):
        return self.pick(["", "", " ", "\n", "x", " y ", "\n  ", "  \n", "\t", "a\nb", "é", "<b>", "\r\n", "  "])

    def block(self, depth, size=3):
        return "".join(self.text() + self.statement(depth) for _ in range(self.random.randint(1, size))) + self.text()

    def name(self):
        name = self.pick(["a1", "b1", "x", "y", "s", "i", "ns", "loop", "xs", "k"]) if self.chance(0.97) else self.pick(["true", "_u", "caller", "é"])
        return name if name != "loop" or self.chance(0.1) else "z"

    def scope(self, names, make):
        outer = self.names
        self.names = outer + names
        result = make()
        self.names = outer
        return result

    def statement(self, depth=0):
        pick = self.random.random()
        if depth > 3 or pick < 0.4:
            return self.show(self.expression())
        depth += 1
        tag, block, expression = self.tag, lambda: self.block(depth, 2), self.expression
        if pick < 0.5:
            target = self.name() if self.chance(0.8) else f"{self.name()}, {self.name()}"
            value = expression() if "," not in target else f"{expression()}, {expression()}"
            self.names = self.names + target.split(", ")
            return tag(f"set {target} = {value}")
        if pick < 0.58:
            parts = tag(f"if {expression()}") + block()
            for _ in range(self.random.randint(0, 2)):
                parts += tag(f"elif {expression()}") + block()
            return parts + (tag("else") + block() if self.chance(0.5) else "") + tag("endif")
        if pick < 0.74:
            return self.loop(depth)
        if pick < 0.8:
            return self.macro(depth)
        if pick < 0.84:
            name = self.name()
            made = tag(f"set {name}{self.pick(['', ' | upper', ' | trim | length', ' | replace(' + expression() + ', 1)'])}") + block() + tag("endset")
            self.names = self.names + [name]
            return made
        if pick < 0.87:
            return tag(f"filter {self.fill(self.pick(FILTERS['string']), 2)}") + block() + tag("endfilter")
        if pick < 0.9:
            name = self.name()
            return tag(f"with {name} = {expression()}, b1 = {name}") + self.scope([name, "b1"], block) + tag("endwith")
        if pick < 0.93:
            parts = [f"a=1, b={expression()}", "a=0"]
            return tag(f"set ns = namespace({self.pick(parts)})") + self.scope(["ns.a", "ns.b"], lambda: tag(f"set ns.a = {expression()}") + block()) + self.show("ns.a")
        if pick < 0.95:
            return tag("generation") + block() + tag("endgeneration")
        if pick < 0.97:
            return self.pick(["{# c #}", "{#- c -#}", "{# {{ x }} #}\n", "{% raw %}{{ x }}\n{% endraw %}\n", "{%- raw -%} a {%- endraw -%}"])
        return self.pick([
            tag("break"), tag("continue"), tag(f"print {expression()}, {expression()}"), tag("include 'x'"), tag("import 'x' as m"),
            tag("from 'x' import m"), tag("extends 'x'"), tag("nosuch"), tag("block bb") + block() + tag("endblock"), tag("do 1"),
            tag("if x:") + block() + tag("endif"), "{{ }}", "{{ 1", tag("set x"), tag(f"for a in {expression()}:") + block() + tag("endfor"),
        ])

    def loop(self, depth):
        target = self.pick(["x", "y", "k, v", "x", "a1", "item", "k, (u, v)", "_"])
        names = re.findall(r"\w+", target)
        if "," in target:
            source = self.pick(["d.items()", "pairs", "d | items", "d | dictsort", "words | batch(2)", "deep.items()", "users | groupby('a')", "[(1, (2, 3))]", self.expression("list")])
        else:
            source = self.expression(self.pick(["list", "list", "list", "dict", "string", None]))
        condition = f" if {self.scope(names, self.expression)}" if self.chance(0.25) else ""
        recursive = " recursive" if self.chance(0.1) else ""
        attributes = ["index", "index0", "revindex", "revindex0", "first", "last", "length", "depth", "depth0", "previtem", "nextitem", "cycle('a', 'b')", "changed(x)", "nope", "cycle()"]

        def body():
            parts = self.block(depth, 2)
            if self.chance(0.5):
                parts += self.show(f"loop.{self.pick(attributes)}")
            if recursive and self.chance(0.7):
                parts += self.show(f"loop({names[0]}) if {names[0]} is iterable and {names[0]} is not string else '.'")
            if self.chance(0.15):
                parts += self.tag(f"if {self.expression()}") + self.tag(self.pick(["break", "continue"])) + self.tag("endif") + self.block(depth, 1)
            return parts

        otherwise = self.tag("else") + self.block(depth, 1) if self.chance(0.3) else ""
        return self.tag(f"for {target} in {source}{condition}{recursive}") + self.scope(names, body) + otherwise + self.tag("endfor")

    def macro(self, depth):
        parameters = self.pick(["", "x", "x, y", "x, y=1", "x='q', y=x", "x, y=z, z=3", "y=y", "x, caller=none"])
        names = re.findall(r"(?:^|, )(\w+)", parameters)
        special = self.pick(["", "", "{{ varargs }}", "{{ kwargs }}", "{{ caller() }}", "{{ caller(1) }}", "{{ caller }}", "{{ varargs | length }}"])
        call = self.pick(["m()", "m(1)", "m(1, 2)", "m(y=2)", "m(x=s, y=3)", "m(1, 2, 3)", "m(1, k=2)", "m(*xs)", "m(**d)", "m(1, x=2)", "m", "m.name", "m.arguments", "m(i, caller=2)"])
        body = self.scope(names, lambda: self.block(depth, 2))
        out = self.tag(f"macro m({parameters})") + body + special + self.tag("endmacro") + self.show(call)
        if self.chance(0.3):
            out += self.tag(f"call{self.pick(['', '(q)', '(q=1)'])} {call}") + self.block(depth, 1) + self.pick(["", "{{ q }}"]) + self.tag("endcall")
        return out

    def template(self):
        self.names = []
        pick = self.random.random()
        if pick < 0.5:
            return f"{{{{ {self.expression()} }}}}"
        if pick < 0.6:
            return f"{{{{ {self.formatting(1)} }}}}"
        return self.block(0, 3)


TOKENS = [
    "{{", "}}", "{%", "%}", "{#", "#}", "{%-", "-%}", "{{-", "-}}", "{%+", "+%}", "(", ")", "[", "]", "{", "}", "'", '"', "\\", "|", ",", ".", ":",
    "~", "=", " ", "\n", "\r\n", "\t", "-", "+", "*", "**", "/", "//", "%", "==", "!=", "<", ">=", " in ", " not ", " is ", " and ", " or ",
    " if ", " else ", "1", "0", "1.5", "'a'", "loop", "loop.index", "x", "messages", "none", "true", "[0]", "[-1]", "[1:]", "()", "|length",
    "|tojson", "|upper", "|trim", "|list", ".role", ".content", "{% endif %}", "{% endfor %}", "{% else %}", "{% if x %}", "{% for i in xs %}",
    "{% set x = 1 %}", "{% break %}", "{% continue %}", "{% raw %}", "{% endraw %}", "recursive", "namespace()", "{% endmacro %}", "é", "🙂",
]
TEXTS = [
    "Hi", "", " ", "  padded\n", "2+2?", "é 世界 🙂", "<think>\nhm\n</think>\n\nfour", "</think>x", "a</think>b</think>c", "<tool_call>", "line1\nline2",
    "{\"a\": 1}", "It's \"q\"", "\n\nx\n\n", "<|im_end|>", "\u2028", "\ttab", "0", "[INST]", "think", "None",
]


def random_value(r, depth=0):
    pick = r.random()
    if depth > 2 or pick < 0.6:
        return r.choice([None, True, False, 0, 1, -1, 2.0, 0.5, 1e20, 10**20, "", "x", "é", "a b", "it's", "<&>"])
    if pick < 0.8:
        return [random_value(r, depth + 1) for _ in range(r.randint(0, 3))]
    return {r.choice(["a", "b", "city", "é", "1", "type"]): random_value(r, depth + 1) for _ in range(r.randint(0, 3))}


def random_tool(r):
    function = {"name": r.choice(["f", "get_weather", "é"]), "description": r.choice(TEXTS)}
    if r.random() < 0.8:
        properties = {name: {"type": r.choice(["string", "integer", ["string", "null"]]), **({"description": "d"} if r.random() < 0.5 else {}), **({"enum": ["a", "b"]} if r.random() < 0.2 else {})} for name in r.sample(["city", "n", "units"], r.randint(0, 3))}
        function["parameters"] = {"type": "object", "properties": properties, **({"required": list(properties)[:1]} if r.random() < 0.6 else {})}
    return {"type": "function", "function": function} if r.random() < 0.85 else function


def random_message(r):
    role = r.choice(["system", "user", "user", "assistant", "assistant", "tool", "developer", "ipython"])
    message = {"role": role, "content": r.choice(TEXTS)}
    pick = r.random()
    if pick < 0.08:
        message["content"] = None
    elif pick < 0.16:
        message["content"] = [{"type": "text", "text": r.choice(TEXTS)}, {"type": "image"}][: r.randint(0, 2)]
    elif pick < 0.19:
        del message["content"]
    elif pick < 0.21:
        message["content"] = random_value(r)
    if role == "assistant" and r.random() < 0.4:
        arguments = random_value(r) if r.random() < 0.5 else {"city": "Åre", "n": 1.0}
        call = {"function": {"name": "f", "arguments": json.dumps(arguments) if r.random() < 0.3 else arguments}}
        if r.random() < 0.7:
            call = {"type": "function", "id": r.choice(["1", "call_9", "abcdefghi"]), **call}
        message["tool_calls"] = [call] * r.randint(0, 2) if r.random() < 0.9 else None
    if r.random() < 0.15:
        message[r.choice(["reasoning_content", "name", "tool_call_id", "thinking", "prefix"])] = r.choice(TEXTS + [True, None])
    return message


def cases_in(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines]


class Variations:
    """Templates of the conformance cases, damaged, or with other conversations."""

    def __init__(self, seed, path):
        self.random = random.Random(seed)
        self.cases = cases_in(path)
        self.families = [case for case in self.cases if "/family/" in case["id"]]

    def damaged(self):
        r = self.random
        case = r.choice(self.cases)
        template = case["template"]
        for _ in range(r.randint(1, 3)):
            at = r.randint(0, len(template))
            # Damage inside tags tells more than damage between them.
            tags = [match for match in re.finditer(r"\{[{%].*?[%}]\}", template, re.S)]
            if tags and r.random() < 0.8:
                tag = r.choice(tags)
                at = r.randint(tag.start(), tag.end())
            pick = r.random()
            if pick < 0.4:
                template = template[:at] + r.choice(TOKENS) + template[at:]
            elif pick < 0.7:
                template = template[:at] + template[at + r.randint(1, 4) :]
            else:
                words = list(re.finditer(r"\w+|[^\w\s]", template))
                a, b = r.choice(words), r.choice(words)
                template = template[: a.start()] + b[0] + template[a.end() :]
        return {**{key: value for key, value in case.items() if key not in ("id", "why", "note", "expect")}, "template": template}

    def conversation(self):
        r = self.random
        family = r.choice(self.families)
        case = {"kind": "render", "template": family["template"], "messages": [random_message(r) for _ in range(r.randint(1, 5))], "add_generation_prompt": r.random() < 0.7}
        if r.random() < 0.7:
            roles = ["user", "assistant"] * 3
            system = [m for m in case["messages"] if m["role"] == "system"][:1]
            rest = [m for m in case["messages"] if m["role"] != "system"] or [random_message(r)]
            case["messages"] = system + [{**message, "role": role} for message, role in zip(rest, roles)]
        if r.random() < 0.5:
            case["tools"] = [random_tool(r) for _ in range(r.randint(0, 2))]
        extra = dict(family.get("extra") or {})
        for name in ("enable_thinking", "bos_token", "eos_token", "date_string", "builtin_tools", "documents", "custom_tools", "thinking"):
            if r.random() < 0.08:
                extra[name] = r.choice([True, False, None, "<s>", [], ["code_interpreter"], "x"])
        if extra:
            case["extra"] = extra
        return case


class TooLong(Exception):
    pass


def on_alarm(*_):
    raise TooLong


def render(env, case):
    variables = {
        "messages": case["messages"],
        "tools": case.get("tools"),
        "documents": None,
        "add_generation_prompt": case["add_generation_prompt"],
        **case.get("extra", {}),
    }
    signal.setitimer(signal.ITIMER_REAL, 1)
    try:
        return {"text": env.from_string(case["template"]).render(**copy.deepcopy(variables))}
    except TooLong:
        return None
    except (MemoryError, RecursionError):
        return None
    except Exception:  # noqa: BLE001 - every Python error is the same answer here
        return {"error": True}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--mode", choices=["grammar", "damaged", "conversation", "all"], default="all")
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, on_alarm)
    generator = Generator(options.seed)
    variations = Variations(options.seed, pathlib.Path(__file__).parents[1] / "cases" / "render.jsonl")
    makers = {
        "grammar": lambda: {"kind": "render", "template": generator.template(), "messages": MESSAGES, "add_generation_prompt": True, "extra": EXTRA},
        "damaged": variations.damaged,
        "conversation": variations.conversation,
    }
    modes = [options.mode] if options.mode != "all" else ["grammar", "grammar", "damaged", "conversation"]
    env = environment()
    options.folder.mkdir(parents=True, exist_ok=True)
    counts = {"text": 0, "error": 0}
    with open(options.folder / "render.jsonl", "w") as out:
        while sum(counts.values()) < options.count:
            case = makers[generator.pick(modes)]()
            case.pop("now", None)
            expect = render(env, case)
            text = (expect or {}).get("text", "")
            if expect is None or len(text) > 20000 or re.search(r"(?i) at 0x[0-9a-f]{6,}|[0-9]{200}", text):
                continue
            counts[next(iter(expect))] += 1
            out.write(json.dumps({"id": f"random/{options.seed}/{sum(counts.values())}", **case, "expect": expect}) + "\n")
    print(f"wrote {options.folder}/render.jsonl: {counts}")


if __name__ == "__main__":
    main()
