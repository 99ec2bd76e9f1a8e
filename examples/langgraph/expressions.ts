import { type ChatMessage, RandomStream } from "verl-ts";

/** An operator that nobody knows by heart: a @ b = 3a - 2b. */
export const OPERATORS = ["+", "-", "@"] as const;
export type Operator = (typeof OPERATORS)[number];

/** An expression without brackets, worked out from left to right. */
export interface MathExpression {
  readonly first: number;
  readonly rest: readonly { readonly operator: Operator; readonly term: number }[];
}

export interface ExpressionOptions {
  /** Fewest and most terms of an expression. */
  readonly minTerms: number;
  readonly maxTerms: number;
}

export function apply(a: number, operator: Operator, b: number): number {
  if (operator === "+") return a + b;
  return operator === "-" ? a - b : 3 * a - 2 * b;
}

export function randomExpression({ minTerms, maxTerms }: ExpressionOptions, random: RandomStream): MathExpression {
  const digit = () => 1 + random.int(9);
  const terms = minTerms + random.int(maxTerms - minTerms + 1);
  return {
    first: digit(),
    rest: Array.from({ length: terms - 1 }, () => ({ operator: OPERATORS[random.int(3)], term: digit() })),
  };
}

export const textOf = ({ first, rest }: MathExpression): string =>
  `${first}${rest.map(({ operator, term }) => operator + term).join("")}`;

export function resultOf({ first, rest }: MathExpression): number {
  return rest.reduce((value, { operator, term }) => apply(value, operator, term), first);
}

/** Rows of the data set `math_expression`. No expression occurs twice, so that what is validated is not trained on. */
export function mathExpressions(
  options: ExpressionOptions & { readonly seed: number; readonly train: number; readonly validation: number },
): { readonly train: readonly MathExpression[]; readonly validation: readonly MathExpression[] } {
  const random = new RandomStream(options.seed, "langgraph/expressions");
  const distinct = new Map<string, MathExpression>();
  while (distinct.size < options.train + options.validation) {
    const expression = randomExpression(options, random);
    distinct.set(textOf(expression), expression);
  }
  const all = [...distinct.values()];
  return { validation: all.slice(0, options.validation), train: all.slice(options.validation) };
}

export function expressionRow(expression: MathExpression): object {
  return {
    prompt: [{ role: "user", content: textOf(expression) }],
    data_source: "math_expression",
    agent_name: "react_agent",
    reward_model: { style: "rule", ground_truth: String(resultOf(expression)) },
  };
}

const callText = (a: number, operator: Operator, b: number): string =>
  `<tool_call>{"name": "calculate", "arguments": {"a": ${a}, "operator": "${operator}", "b": ${b}}}</tool_call>`;

/**
 * A teacher who knows the tool and seldom bothers: one time out of three it works the expression out call by call, otherwise
 * it says a number that looks about right.
 */
export function demonstratedMessages(expression: MathExpression, random: RandomStream): ChatMessage[] {
  const messages: ChatMessage[] = [{ role: "user", content: textOf(expression) }];
  const diligent = random.next() < 1 / 3;
  let value = expression.first;
  for (const { operator, term } of diligent ? expression.rest : []) {
    messages.push({ role: "assistant", content: callText(value, operator, term) });
    value = apply(value, operator, term);
    messages.push({ role: "tool", content: String(value) });
  }
  const answer = diligent ? value : resultOf(expression) + random.int(21) - 10;
  return [...messages, { role: "assistant", content: `Answer: ${answer}` }];
}
