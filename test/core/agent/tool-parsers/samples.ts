/** Turns of every format, as a basis for suites and for damage. */
export const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  hermes: [
    'Hi <think>a <tool_call></think>b<tool_call>\n{"name": "f", "arguments": {"s": "</tool_call> \\"é\\"", "n": [1, {"m": -2.5e3}]}}\n</tool_call>',
    '<tool_call>{bad}</tool_call>x < y<tool_call>{"name":"g"}</tool_call>',
  ],
  hermes_verl: ['a<tool_call>{"name": "f", "arguments": {"x": 1.0}}</tool_call>b<tool_call>{"name"'],
  qwen3_coder: [
    'Go\n<tool_call>\n<function=f>\n<parameter=a>\nprint("</parameter>")\n</parameter>\n<parameter=b>\n{"k": "</function>"}\n</parameter>\n</function>\n<function=g>\n</function>\n</tool_call>',
    "<think>x</think><tool_call><function=f><parameter=b>['a', (1,)]</function></tool_call> <tool_call>y",
  ],
  "gpt-oss": [
    '<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary<|message|>I <pad>look.<|end|><|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": "<|call|>"}<|call|>',
    " to=functions.g<|channel|>commentary json<|message|>{oops<|call|><|start|>assistant<|channel|>final<|message|>42<|return|><pad>",
  ],
  glm: [
    '<think>hm</think>Ok.<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>"</arg_value>"</arg_value>\n<arg_key>b</arg_key>\n<arg_value>x</tool_call>y</arg_value>\n</tool_call>',
    "</think>Sure<tool_call>g<arg_key>a</arg_key><arg_value>5</tool_call><tool_call>h</tool_call>",
  ],
  seed: [
    'Ok.<seed:tool_call>\n<function=f>\n<parameter=a>["</parameter>"]</parameter>\n<parameter=b>1 < 2</parameter>\n</function>\n</seed:tool_call>',
    "<seed:think>x</seed:think><seed:tool_call>oops</seed:tool_call><seed:tool_call><function=g><parameter=a>1</function></seed:tool_call>",
  ],
  minimax: [
    'Ok.<minimax:tool_call>\n<invoke name="f">\n<parameter name="a">{"x": "</invoke>"}</parameter>\n</invoke>\n<invoke name="g"></invoke></minimax:tool_call>',
    '<think>x</think><minimax:tool_call><invoke name=f></invoke><invoke name="g"><parameter name="a">1</invoke></minimax:tool_call>',
  ],
  kimi: [
    'Ok.<|tool_calls_section_begin|><|tool_call_begin|> functions.f:0 <|tool_call_argument_begin|>{"a": "<|tool_call_end|>"}<|tool_call_end|><|tool_call_begin|>call_1<|tool_call_argument_begin|>no<|tool_call_end|><|tool_calls_section_end|>',
    "<think>x</think><|tool_calls_section_begin|><|tool_call_begin|>g<|tool_call_end|><|tool_call_begin|>h<|tool_call_argument_begin|>{}",
  ],
  deepseek_v4: [
    'a</think>b\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">x\ny</｜DSML｜parameter>\n<｜DSML｜parameter string="false" name="b">[1, "</｜DSML｜parameter>"]</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls><eos>',
    'Hi<｜DSML｜tool_calls><｜DSML｜invoke name="g"></｜DSML｜tool_calls> <think>x</think>y',
  ],
  gemma4: [
    'Ok.<|tool_call>call:f{a:<|"|>x, }<tool_call|><|"|>,b:[1,{c:True}],d: z }<tool_call|>tail',
    "<|channel>thought\nx<channel|>y<|tool_call>call:g{a:[1}<tool_call|><|tool_call>call:h{}<tool_call|>",
  ],
};
