const GiB = 2 ** 30;

/** Runs a stage of a benchmark and prints its time and the memory of the process. */
export async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const { rss } = process.memoryUsage();
  const peak = process.resourceUsage().maxRSS * 1024;
  console.log(
    `${what.padEnd(52)} ${seconds.padStart(7)} s   ${(rss / GiB).toFixed(2)} GiB now, ${(peak / GiB).toFixed(2)} GiB at most`,
  );
  return result;
}

/** What prints progress: with `--json` the report alone is on standard output. */
export function speaker({ json }: { readonly json: boolean }): (line: string) => void {
  return json ? console.error : console.log;
}
