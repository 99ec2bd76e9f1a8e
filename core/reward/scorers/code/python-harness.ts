/** Modules that solutions in the style of LeetCode use without importing them. */
const MODULES =
  "string re datetime collections heapq bisect copy math random statistics itertools functools operator io sys json typing";

/** File of the program beside a harness. */
export const SOLUTION_FILE = "solution.py";

/** Runs the program as a module: what stands under `if __name__ == "__main__"` is not part of a function. */
const LOAD_SOLUTION = String.raw`
scope = {"__name__": "solution"}
for module in "${MODULES}".split():
    exec(f"from {module} import *\nimport {module}", scope)
exec("from builtins import *", scope)
prelude = dict(scope)
with open("${SOLUTION_FILE}", encoding="utf-8") as file:
    exec(compile(file.read(), "${SOLUTION_FILE}", "exec"), scope)
`;

/**
 * Calls a function and prints its result as JSON. Its name is the first line of the input, its arguments are the rest, one
 * JSON value a line. What the program prints itself goes to standard error.
 */
export const FUNCTION_HARNESS = String.raw`
import io, json, os, sys

name, *arguments = [line for line in sys.stdin.read().split("\n") if line.strip()]
sys.stdin = io.StringIO()
answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
${LOAD_SOLUTION}
function = scope[name] if scope.get(name) is not prelude.get(name) else getattr(scope["Solution"](), name)
result = function(*map(json.loads, arguments))
json.dump(result, answer, default=lambda value: list(value) if hasattr(value, "__iter__") else str(value))
answer.close()
`;

/**
 * Runs statements after the program, and then prints a token on a line of its own: exit code 0 alone would not show that
 * they ran, for the program may end the process itself. Token and statements are the first line of the input, which is read
 * before the program starts; the rest is the program's.
 */
export const ASSERTION_HARNESS = String.raw`
import json, os, sys

token, statements = json.loads(sys.stdin.readline())
answer = os.dup(1)
${LOAD_SOLUTION}
exec(compile(statements, "test.py", "exec"), scope)
sys.stdout.flush()
os.write(answer, f"\n{token}".encode())
`;

/** verl's way of calling a function: in the program's own module, and whatever the program prints counts as output. */
export function likeVerl(code: string, name: string): string {
  const imports = MODULES.split(" ").map((module) => `from ${module} import *\nimport ${module}`);
  return `${imports.join("\n")}
from builtins import *
import ${MODULES.replaceAll(" ", ", ")}

${code}

def _verl_call():
    text = sys.stdin.read()
    arguments = [json.loads(line) for line in text.split("\\n")] if text.strip() else []
    name = ${JSON.stringify(name)}
    function = globals()[name] if name in globals() else getattr(Solution(), name)
    result = function(*arguments)
    if result is None or isinstance(result, (bool, dict, list, tuple)):
        result = json.dumps(result)
    print(result)

_verl_call()
`;
}
