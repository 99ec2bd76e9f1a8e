/** Deepest nesting of parentheses. */
const MAX_DEPTH = 100;

/** The value of a sum such as `(1 + 2) * -3`, or what is wrong with it. */
export function evaluate(text: string): number | { readonly problem: string } {
  const tokens = text.match(/\d+(?:\.\d+)?|\S/g) ?? [];
  let at = 0;

  function sum(depth: number): number {
    let value = product(depth);
    while (tokens[at] === "+" || tokens[at] === "-") value += tokens[at++] === "+" ? product(depth) : -product(depth);
    return value;
  }

  function product(depth: number): number {
    let value = factor(depth);
    while (tokens[at] === "*" || tokens[at] === "/")
      value = tokens[at++] === "*" ? value * factor(depth) : value / factor(depth);
    return value;
  }

  function factor(depth: number): number {
    if (depth > MAX_DEPTH) throw new SyntaxError("nested too deeply");
    const token = tokens[at++];
    if (token === "-") return -factor(depth + 1);
    if (token === "(") {
      const value = sum(depth + 1);
      if (tokens[at++] !== ")") throw new SyntaxError("a closing parenthesis is missing");
      return value;
    }
    if (token === undefined || !/^\d/.test(token)) throw new SyntaxError(`a number is due, not ${token ?? "the end"}`);
    return Number(token);
  }

  try {
    const value = sum(0);
    return at < tokens.length ? { problem: `what is ${tokens[at]}?` } : value;
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
