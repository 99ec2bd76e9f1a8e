/** A complex number in doubles. */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

export const complex = (re: number, im = 0): Complex => ({ re, im });
export const plus = (a: Complex, b: Complex): Complex => complex(a.re + b.re, a.im + b.im);
export const minus = (a: Complex, b: Complex): Complex => complex(a.re - b.re, a.im - b.im);
export const size = (a: Complex): number => Math.hypot(a.re, a.im);

export function times(a: Complex, b: Complex): Complex {
  if (a.im === 0 && b.im === 0) return complex(a.re * b.re);
  return complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}

export function over(a: Complex, b: Complex): Complex {
  if (a.im === 0 && b.im === 0) return complex(a.re / b.re);
  const square = b.re * b.re + b.im * b.im;
  return complex((a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square);
}

export const exp = (a: Complex): Complex =>
  complex(Math.exp(a.re) * Math.cos(a.im), a.im && Math.exp(a.re) * Math.sin(a.im));
export const log = (a: Complex): Complex => complex(Math.log(size(a)), Math.atan2(a.im, a.re));

export function pow(base: Complex, exponent: Complex): Complex {
  if (base.im === 0 && exponent.im === 0 && (base.re >= 0 || Number.isInteger(exponent.re))) {
    return complex(base.re ** exponent.re);
  }
  return exp(times(exponent, log(base)));
}
