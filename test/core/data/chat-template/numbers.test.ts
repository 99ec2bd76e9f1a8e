import { agreesWithPython } from "./support.js";

describe("chat templates: numbers", () => {
  agreesWithPython([
    [
      "quotients of large integers are rounded once",
      "{{ big / 7 }} {{ 10 ** 400 / 10 ** 399 }} {{ -big / big }}",
      "1.763668414462081e+21 10.0 -1.0",
    ],
    ["quotients that are too large", "{{ 10 ** 400 / 2 }}", null],
    [
      "powers are rounded correctly",
      "{{ 1.05 ** 3 }} {{ 0.3 ** 5 }} {{ 10 ** 2.5 }} {{ 2 ** -3 }} {{ 2 ** 0.5 }} {{ 12.7 ** 11 }} {{ 1.1 ** -7 }} {{ 5e-324 ** 0.5 }}",
      "1.1576250000000001 0.0024299999999999994 316.22776601683796 0.125 1.4142135623730951 1386247993403.209 0.5131581182307065 2.2227587494850775e-162",
    ],
    [
      "floor division of floats",
      "{{ -7.5 // 2 }} {{ 7.5 // -0.1 }} {{ -1e-20 % 3 }} {{ 0.0 // -3 }}",
      "-4.0 -75.0 3.0 -0.0",
    ],
    [
      "attributes",
      "{{ big.numerator }}{{ big.bit_length() }} {{ 1.5.as_integer_ratio() }} {{ true.real }} {{ 2.5.is_integer() }}",
      "1234567890123456789012374 (3, 2) 1 False",
    ],
    [
      "round",
      "{{ 2.675 | round(2) }} {{ 1250 | round(-2) }} {{ -15 | round(-1) }} {{ 2.5 | round(none) }} {{ 7 | round(none) }} {{ 1.5 | round(-400) }} {{ big | round(-5, 'floor') }} {{ 42.55 | round(1, 'ceil') }}",
      "2.67 1200 -20 2 7 0.0 1.2345678901234568e+22 42.6",
    ],
    ["round of a text", "{{ '1' | round }}", null],
    ["round beyond the largest float", "{{ 1.7e308 | round(-308) }}", null],
    [
      "int",
      "{{ '0x_1F' | int(base=16) }} {{ '0b11' | int(0, 0) }} {{ '012' | int(7, 0) }} {{ '_1' | int(9) }} {{ '1__0' | int(9) }} {{ ' +1_0 ' | int }} {{ '٣٤' | int }} {{ '12' | int(0, 99) }} {{ '12.9' | int(0, 2.5) }} {{ '1e3' | int }} {{ 'zz' | int(0, 36) }}",
      "31 3 12 9 9 10 34 12 12 1000 1295",
    ],
    [
      "int of long texts",
      "{{ ('9' * 5000) | int('long') }} {{ ('f' * 4400) | int(0, 16) | string | length if false else 'x' }}",
      "long x",
    ],
    [
      "float",
      "{{ '1_0.5' | float }} {{ '.5e1' | float }} {{ '5.' | float }} {{ '-Infinity' | float(1) }} {{ '1_' | float('no') }} {{ '0x1' | float('no') }} {{ '١.٥' | float }}",
      "10.5 5.0 5.0 -inf no no 1.5",
    ],
  ]);
});
