const DIGITS = "\\d+(?:_\\d+)*";
const WHOLE = new RegExp(`^\\s*([-+]?)(${DIGITS})\\s*$`);
const NUMBER = new RegExp(`^\\s*([-+]?)(${DIGITS})?(?:\\.(${DIGITS})?)?(?:[eE]([-+]?${DIGITS}))?\\s*$`);

/** A whole number as Python's `int` reads it, as JSON with every digit; null if the text is none. */
export function wholeNumber(text: string): string | null {
  const match = WHOLE.exec(text);
  return match && integerText(match[1], plainDigits(match[2]));
}

/** A finite number as Python's `float` reads it, as JSON with every digit, whole values as integers; null if the text is none. */
export function anyNumber(text: string): string | null {
  const whole = wholeNumber(text);
  if (whole !== null) return whole;
  const match = NUMBER.exec(text);
  if (!match) return null;
  const [sign, before, after, exponent] = match.slice(1).map(plainDigits);
  if (before + after === "") return null;
  const fraction = after.replace(/0+$/, "");
  const number = `${integerText(sign, before, "-")}${fraction && `.${fraction}`}${exponent && `e${Number(exponent)}`}`;
  if (!Number.isFinite(Number(number))) return null;
  const digits = before + fraction;
  if (/^0*$/.test(digits)) return "0";
  const zeros = Number(exponent) - fraction.length;
  if (zeros >= 0) return integerText(sign, digits + "0".repeat(zeros));
  return /[^0]/.test(digits.slice(zeros)) ? number : integerText(sign, digits.slice(0, zeros));
}

function plainDigits(digits: string | undefined): string {
  return digits?.replaceAll("_", "") ?? "";
}

/** JSON knows no plus sign, no leading zeros; and no negative zero is wanted unless it is asked for. */
function integerText(sign: string, digits: string, zeroSign = ""): string {
  const significant = digits.replace(/^0+/, "");
  if (significant === "") return sign === "-" ? `${zeroSign}0` : "0";
  return sign === "-" ? `-${significant}` : significant;
}
