"""Write random model answers as conformance cases, with the score that verl gives them.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install --no-deps verl==0.9.1
    /tmp/peers/bin/python test/peers/random_scores.py --seed 1 --count 20000 /tmp/random-cases
    npm run cases -- /tmp/random-cases
"""

import argparse
import contextlib
import importlib.metadata
import importlib.util
import io
import json
import pathlib
import random


def module(name):
    """One of verl's scorers, loaded by itself: the package needs PyTorch."""
    path = importlib.metadata.distribution("verl").locate_file(f"verl/utils/reward_score/{name}.py")
    spec = importlib.util.spec_from_file_location(name, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


GSM8K, MATH, DAPO = module("gsm8k"), module("math_reward"), module("math_dapo")

FILLERS = ["", " ", "\n", "x", "é", "🙂", "𝔘" * 3, " " * 50, "q" * 99, "q" * 290, " so ", "\r\n", "\u2028", "\x85", "\u00a0", "ſ", ". ", ", ", "\x1c"]
GSM_PIECES = [
    "#### ", "####", "#### #### ", "### ", "#### -", "#### $", "#### \n", "####  ", "7", "-7", "1,234", "12.", "3.50", ".5", ",", ".", "..", "1,2,3", "-", "--4", "٣",
    "7²", "0", "-0", "1.2.3", "$19", "42 ", "+8", "1e3", "#### 5", "#### 6.", "#### ,", "#### .", "#### -.", "½", "１２",
]
LATEX = [
    "\\frac12", "\\frac{1}{2}", "\\dfrac{3}{4}", "\\tfrac34", "\\frac1{72}", "\\frac{72}1", "\\frac a b", "\\frac", "\\frac1", "\\frac{1}", "1/2", "-3/4", "0.5",
    ".5", "5.", "\\sqrt2", "\\sqrt{2}", "\\sqrt", "\\sqrt 2", "\\sqrt[3]{2}", "x=5", "xy=5", "xyz=5", "x=y=5", "=", "x=", "12", "1,000", "1{,}000", "1,\\!000", "\\$5", "50\\%", "50%",
    "90^\\circ", "90^{\\circ}", "\\left(1,2\\right)", "\\{1,2\\}", "\\text{ cm}", "4\\text{ cm}", "4 \\text{ cm}\\text{ x}", "\\text{(B)}", "\\text{and}", "3\\text{ and }4",
    "\\mbox{ft}", "\\mathrm{th}", "5\\mathrm{th}", "\\ldots", "\\dots", "\\;", "\\ ", "\\!", "\\\\", "\n", " ", "  ", "{.5}", " .5", "{", "}", "{}", "$", "$5$", "$a$ and $b$", "an ", "a ", "an apple",
    "square", "5 cm", "5 degrees", "7 units", "12 dollars", "digits", "\\overline{AB}", "\\textbf{7}", "\\text{7}", "\\boxed{3}", "\\boxed 3", "\"", "²", "①", "٣,٤", "1,2", "∞", "🙂", "\\frac🙂2", "\\sqrt🙂",
    "\\frac{🙂}{2}", "sqrt3", "frac12", "frac\n12", "a/b", "1/2/3", "+1/2", "01/2", "-0/1", " 1 / 2 ", "1_0/2", "x^2", "\\pi", "10^{5}", "\u00a0", "[INVALID]", "infty", "\\infty", "(3, \\infty)", "\\cdot",
]
WRAPPERS = [
    "\\boxed{@}", "\\boxed{@}", "\\boxed{@}", "$\\boxed{@}$", "\\boxed @", "$\\boxed @$", "\\fbox{@}", "\\boxed{@", "\\boxed {@}", "\\boxed@", "\\boxedx{@}", "\\boxed{{@}}", "Answer: @", "Answer: @", "answer :  @", "ANSWER:@",
    "Answer: $@$", "Answer: \\boxed{@}", "Anſwer: @", "Answer\n:\n@", "Answer: ", "Answer:\n", "The answer is @", "Answer: @ = @", "Answer: @\\fbox{@}", "Final Answer: @.",
]
SOURCES = {
    "openai/gsm8k": "gsm8k",
    **{name: "math" for name in ("lighteval/MATH", "DigitalLearningGmbH/MATH-lighteval", "HuggingFaceH4/MATH-500")},
    **{name: "dapo" for name in ("math_dapo", "math", "math_dapo_reasoning", "aime2024", "aime")},
}


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def several(self, pieces, most):
        return "".join(self.random.choice(pieces) for _ in range(self.random.randint(0, most)))

    def latex(self):
        return self.several(LATEX, 3) if self.random.random() < 0.8 else self.random.choice(LATEX)

    def gsm8k(self):
        r = self.random
        parts = [r.choice(GSM_PIECES if r.random() < 0.7 else FILLERS) for _ in range(r.randint(0, 8))]
        return "".join(parts), r.choice(["7", "-7", "1234", "12", "12.", "3.50", "5", "6.", "6", ".", ",", "", "0", "-0", "1,234", "4", "-4"])

    def mathematics(self):
        r = self.random
        answer = self.latex()
        parts = []
        for _ in range(r.randint(1, 3)):
            content = answer if r.random() < 0.6 else self.latex()
            parts.append(self.several(FILLERS, 2) + r.choice(WRAPPERS).replace("@", content))
        truth = answer if r.random() < 0.4 else self.variant(answer)
        return "".join(parts) + self.several(FILLERS, 2), truth

    def variant(self, answer):
        r = self.random
        changes = [
            lambda s: s.replace("\\dfrac", "\\frac"), lambda s: s.replace(" ", ""), lambda s: s.replace("\\frac12", "\\frac{1}{2}"), lambda s: s.replace("0.5", "1/2"),
            lambda s: s.strip(), lambda s: s.replace("$", ""), lambda s: s.replace(",", ""), lambda s: "x=" + s, lambda s: s + "\\text{ cm}", lambda s: s.replace("sqrt2", "sqrt{2}"), lambda _: self.latex(),
        ]
        for _ in range(r.randint(1, 2)):
            answer = r.choice(changes)(answer)
        return answer

    def case(self):
        r = self.random
        source = r.choice(list(SOURCES))
        rule = SOURCES[source]
        with contextlib.redirect_stdout(io.StringIO()):
            if rule == "gsm8k":
                method = r.choice(["strict", "flexible"])
                solution, truth = self.gsm8k()
                expect = {"score": float(GSM8K.compute_score(solution, truth, method))}
                return {"data_source": source, "method": method, "solution": solution, "ground_truth": truth, "expect": expect}
            solution, truth = self.mathematics()
            expect = {"score": MATH.compute_score(solution, truth)} if rule == "math" else DAPO.compute_score(solution, truth)
        return {"data_source": source, "solution": solution, "ground_truth": truth, "expect": expect}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20000)
    options = parser.parse_args()
    generator = Generator(options.seed)
    options.folder.mkdir(parents=True, exist_ok=True)
    right = 0
    with open(options.folder / "score.jsonl", "w") as out:
        for number in range(options.count):
            case = generator.case()
            right += case["expect"]["score"] > 0
            out.write(json.dumps({"id": f"random/{options.seed}/{number}", "kind": "score", **case}) + "\n")
    print(f"wrote {options.folder}/score.jsonl: {options.count} answers, {right} of them right")


if __name__ == "__main__":
    main()
