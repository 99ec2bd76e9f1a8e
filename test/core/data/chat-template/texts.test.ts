import { agreesWithPython } from "./support.js";

describe("chat templates: methods of texts", () => {
  agreesWithPython([
    [
      "letter case",
      "{{ 'ΟΔΟΣ ΑΣ'.title() }} {{ 'ΑΣ'.capitalize() }} {{ 'ΑΣ Σ'.swapcase() }} {{ 'ǆ ß ﬁ ᾳ ა'.title() }} {{ 'ẞ ı ς Ꮳ'.casefold() }} {{ 'ß' | upper }}",
      "Οδος Ας Ας ας σ ǅ Ss Fi ᾼ ა ss ı σ Ꮳ SS",
    ],
    [
      "digits and numerals",
      "{{ '²'.isdigit() }}{{ '²'.isdecimal() }}{{ '一½'.isnumeric() }}{{ 'ǅ'.istitle() }}{{ 'A1b'.istitle() }}{{ 'aª'.islower() }}{{ ''.isprintable() }}",
      "TrueFalseTrueTrueFalseTrueTrue",
    ],
    [
      "windows that end before they start",
      "{{ 'abc'.find('', 2, 1) }}{{ 'abc'.count('', 2, 1) }}{{ 'abc'.startswith('', 4) }}{{ 'abc'.endswith('c', -1) }}{{ 'abc'.rfind('') }}",
      "-10FalseTrue3",
    ],
    ["what startswith takes", "{{ 'abc'.startswith(5, 9) }}", null],
    [
      "split",
      "{{ ' a  b c '.split(none, 1) }}{{ ' a b c '.rsplit(none, 1) }}{{ 'a,b,c'.rsplit(',', 1) }}{{ ''.split() }}{{ ''.split(',') }}{{ '\u001c a'.split() }}",
      "['a', 'b c '][' a b', 'c']['a,b', 'c'][]['']['a']",
    ],
    [
      "lines",
      "{{ 'a\\x0bb\\r\\nc\\u2028d\\n'.splitlines() }}{{ 'a\\nb'.splitlines(1) }}",
      "['a', 'b', 'c', 'd']['a\\n', 'b']",
    ],
    ["lines with a wrong argument", "{{ 'a'.splitlines('x') }}", null],
    [
      "count of replacements",
      "{{ 'aaa'.replace('a', 'b', true) }}{{ 'ab'.replace('', '-') }}{{ 'ab'.replace('', '-', 2) }}",
      "baa-a-b--a-b",
    ],
    ["count of replacements that is none", "{{ 'aaa'.replace('a', 'b', none) }}", null],
    [
      "translate",
      "{{ 'abc'.translate({97: 'x', 98: none, 99: 100}) }}{{ 'abc'.translate(''.maketrans('ab', 'xy', 'c')) }}",
      "xdxy",
    ],
    [
      "tabs and zeros",
      "{{ 'a\\tb\\n\\tc'.expandtabs(4) }}|{{ '-5'.zfill(4) }}{{ '+'.zfill(3) }}{{ 'é'.zfill(3) }}{{ 'ab'.center(5, '*') }}{{ 'abc'.center(6, '*') }}",
      "a   b\n    c|-005+0000é**ab**abc**",
    ],
    [
      "safe markup stays safe",
      "{{ ('<i>' | safe).upper() | e }}{{ (', ' | safe).join(['<', '&' | safe]) }}{{ ('a-b' | safe).split('-') }}{{ ('ab' | safe)[0] | e }}{{ ('aa' | safe).replace('a', '<') }}",
      "<I>&lt;, &[Markup('a'), Markup('b')]a&lt;&lt;",
    ],
    [
      "safe markup and plain text",
      "{{ ('<' | safe) + '<' }}{{ '<' + ('<' | safe) }}{{ ('<' | safe) ~ '<' }}{{ ('<' | safe) * 2 }}{{ ['<' | safe] }}",
      "<&lt;&lt;<<<<<[Markup('<')]",
    ],
  ]);
});
