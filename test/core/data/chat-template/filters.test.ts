import { agreesWithPython } from "./support.js";

describe("chat templates: filters", () => {
  agreesWithPython([
    [
      "sort finds equal items equal before it asks for an order",
      "{{ [none, none] | sort }}{{ [{'a': 1}, {'a': 1}] | sort }}",
      "[None, None][{'a': 1}, {'a': 1}]",
    ],
    ["dictsort asks at once", "{{ {'a': none, 'b': none} | dictsort(by='value') }}", null],
    [
      "sort keeps the order of equal items, also backwards",
      "{{ users | sort(attribute='n', reverse=true) | map(attribute='n') | join(',') }}",
      "bob,Ann,ANN",
    ],
    ["a direction that is no integer", "{{ xs | sort(reverse='yes') }}", null],
    [
      "reverse of a generator is a list",
      "{{ xs | map('abs') | reverse }}{{ 'ab' | safe | reverse | e }}",
      "[2, 1, 3]ba",
    ],
    ["last of a generator", "{{ xs | map('abs') | last }}", null],
    [
      "batch with odd sizes",
      "{{ xs | batch(0) | list }}{{ xs | batch(2.0) | list }}{{ xs | batch('a') | list }}{{ xs | batch(-1) | list }}{{ xs | batch(5, 'f') | list }}",
      "[[], [3, 1, 2]][[3, 1], [2]][[3, 1, 2]][[3, 1, 2]][[3, 1, 2, 'f', 'f']]",
    ],
    [
      "slice with odd sizes",
      "{{ xs | slice(-2) | list }}{{ xs | slice(5, 'f') | list }}",
      "[][[3], [1], [2], ['f'], ['f']]",
    ],
    ["map without an attribute", "{{ xs | map(attribute=none) | list }}", "[3, 1, 2]"],
    ["indices among attributes", "{{ [[1, [5, 6]]] | map(attribute='1.1') | list }}", "[6]"],
    [
      "truncate measures lists too",
      "{{ xs | truncate(3) }}{{ 'foo bar baz qux' | truncate(9.0, leeway=9) }}",
      "[3, 1, 2]foo bar baz qux",
    ],
    ["truncate cuts only at integers", "{{ 'foo bar baz qux' | truncate(5.0, leeway=0) }}", null],
    ["truncate without room", "{{ 'abc' | truncate(2) }}", null],
    [
      "indent",
      "{{ 'a\n\nb' | indent(true, blank=true) }}|{{ 'a\nb' | indent('> ', first=true) }}|{{ '<\n>' | safe | indent | e }}",
      "a\n \n b|> a\n> b|<\n    >",
    ],
    [
      "indent by markup",
      "{{ 'a<\n<b' | indent('-' | safe) }}|{{ 'a<\n<b' | indent('-' | safe, true) }}|{{ 'a<\n<b' | indent('-' | safe, true, true) | e }}|{{ '<\n<' | safe | indent('-' | safe, true) }}",
      "a<\n-&lt;b|-a&lt;\n-&amp;lt;b|-a&lt;\n-&lt;b|-<\n-<",
    ],
    ["indent of what is no text", "{{ 5 | indent }}", null],
    [
      "striptags",
      "{{ '<b>a</b  > <!-- <i> --> &copy;&eacute &#x41;&#128;&#0; &notit; &amp;lt; a<b' | striptags }}",
      "a ©é A€� ¬it; &lt; a<b",
    ],
    [
      "urlencode",
      "{{ 'a b/é&' | urlencode }} {{ {'a b': '/é'} | urlencode }} {{ [('k', 1), 'xy'] | urlencode }} {{ none | urlencode }}[{{ nope | urlencode }}]",
      "a%20b/%C3%A9%26 a+b=%2F%C3%A9 k=1&x=y None[]",
    ],
    [
      "attr reads no items",
      "[{{ d | attr('a') }}{{ {'items': 1} | attr('items') is callable }}{{ nope | attr('__x__') }}]",
      "[True]",
    ],
    ["attr of an undefined value", "{{ nope | attr('x') }}", null],
    [
      "tojson looks at its layout only when needed",
      "{{ 'a' | tojson(indent=none.x, separators=(1, 2)) }}{{ [] | tojson(indent=2, separators=(1, 2)) }}{{ {'a': 1} | tojson(indent=true) }}{{ [1] | tojson(indent='--', separators=';:') }}",
      '"a"[]{\n "a": 1\n}[\n--1\n]',
    ],
    ["tojson with wrong separators", "{{ [1] | tojson(separators=(1, 2)) }}", null],
    [
      "wordcount, center, trim, replace",
      "{{ \"it's a_b é1\" | wordcount }}{{ 'ab' | center(5) }}|{{ 'xax' | trim('x') }}{{ 'aaa' | replace('a', 1, none) }}",
      "4  ab |a111",
    ],
    ["min and max of one item compare nothing", "{{ [none] | max }}{{ [nope, 1] | first }}", "None"],
    ["sum of safe texts", "{{ [] | sum(start='' | safe) }}", null],
    [
      "tests with a keyword",
      "{{ 9 is divisibleby(num=3) }}{{ 'a' is filter }}{{ 'upper' is filter }}{{ 1 is filter }}{{ 'odd' is test }}",
      "TrueFalseTrueFalseTrue",
    ],
    ["tests with an unknown keyword", "{{ 9 is divisibleby(by=3) }}", null],
  ]);
});
