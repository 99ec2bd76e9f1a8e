const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const DAY_MS = 86_400_000;

/** Python's `strftime` in local time with English names. A directive that is not known is printed as it stands. */
export function strftime(date: Date, format: string): string {
  return format.replace(/%(-?)([A-Za-z%])/g, (text, bare: string, directive: string) => {
    const value = DIRECTIVES[directive]?.(date);
    if (value === undefined) return text;
    return bare ? value.replace(/^[0 ]+(?=\d)/, "") : value;
  });
}

const pad = (value: number, width = 2, fill = "0"): string => String(value).padStart(width, fill);
const hour12 = (date: Date): number => date.getHours() % 12 || 12;

/** Days since 1 January, by calendar date, so that daylight saving does not matter. */
function dayOfYear(date: Date): number {
  const midnight = Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return Math.round((midnight - Date.UTC(date.getFullYear(), 0, 1)) / DAY_MS);
}

/** Week of the year, counted from its first `weekday` (0 = Sunday). */
function week(date: Date, weekday: number): number {
  return Math.floor((dayOfYear(date) + 7 - ((date.getDay() - weekday + 7) % 7)) / 7);
}

/** ISO 8601 year and week: the week belongs to the year that holds its Thursday. */
function isoWeek(date: Date): { year: number; week: number } {
  const thursday = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 4 - (date.getDay() || 7));
  return { year: thursday.getFullYear(), week: Math.floor(dayOfYear(thursday) / 7) + 1 };
}

const DIRECTIVES: Readonly<Record<string, (date: Date) => string>> = {
  a: (d) => DAYS[d.getDay()].slice(0, 3),
  A: (d) => DAYS[d.getDay()],
  b: (d) => MONTHS[d.getMonth()].slice(0, 3),
  B: (d) => MONTHS[d.getMonth()],
  c: (d) => strftime(d, "%a %b %e %H:%M:%S %Y"),
  C: (d) => pad(Math.floor(d.getFullYear() / 100)),
  d: (d) => pad(d.getDate()),
  D: (d) => strftime(d, "%m/%d/%y"),
  e: (d) => pad(d.getDate(), 2, " "),
  f: (d) => pad(d.getMilliseconds() * 1000, 6),
  F: (d) => strftime(d, "%Y-%m-%d"),
  G: (d) => String(isoWeek(d).year),
  g: (d) => pad(isoWeek(d).year % 100),
  h: (d) => MONTHS[d.getMonth()].slice(0, 3),
  H: (d) => pad(d.getHours()),
  I: (d) => pad(hour12(d)),
  j: (d) => pad(dayOfYear(d) + 1, 3),
  k: (d) => pad(d.getHours(), 2, " "),
  l: (d) => pad(hour12(d), 2, " "),
  m: (d) => pad(d.getMonth() + 1),
  M: (d) => pad(d.getMinutes()),
  n: () => "\n",
  p: (d) => (d.getHours() < 12 ? "AM" : "PM"),
  P: (d) => (d.getHours() < 12 ? "am" : "pm"),
  r: (d) => strftime(d, "%I:%M:%S %p"),
  R: (d) => strftime(d, "%H:%M"),
  s: (d) => String(Math.floor(d.getTime() / 1000)),
  S: (d) => pad(d.getSeconds()),
  t: () => "\t",
  T: (d) => strftime(d, "%H:%M:%S"),
  u: (d) => String(d.getDay() || 7),
  U: (d) => pad(week(d, 0)),
  V: (d) => pad(isoWeek(d).week),
  w: (d) => String(d.getDay()),
  W: (d) => pad(week(d, 1)),
  x: (d) => strftime(d, "%m/%d/%y"),
  X: (d) => strftime(d, "%H:%M:%S"),
  y: (d) => pad(d.getFullYear() % 100),
  Y: (d) => String(d.getFullYear()),
  z: () => "",
  Z: () => "",
  "%": () => "%",
};
