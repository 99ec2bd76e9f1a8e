import type { MetricsTable } from "./metrics-table.js";

export const EXPORT_FORMATS = ["csv", "parquet", "jsonl"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** RFC 4180 with line feeds. An absent value is empty; NaN and infinities are `NaN`, `Infinity`, `-Infinity`. */
export function csvText({ steps, times, columns }: MetricsTable): string {
  const head = ["step", "time", ...columns.keys()];
  const rows = steps.map((step, i) => [step, times[i], ...[...columns.values()].map((column) => column[i])]);
  return [head, ...rows].map((row) => `${row.map(csvCell).join(",")}\n`).join("");
}

function csvCell(value: string | number | null): string {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One flat object a line; an absent value is left out, and what is not finite is a text. */
export function jsonlText({ steps, times, columns }: MetricsTable): string {
  return steps
    .map((step, i) => {
      const values = [...columns].flatMap(([name, column]) => {
        const value = column[i];
        return value === null ? [] : [[name, Number.isFinite(value) ? value : String(value)]];
      });
      const time = times[i] === null ? {} : { time: times[i] };
      return `${JSON.stringify({ step, ...time, ...Object.fromEntries(values) })}\n`;
    })
    .join("");
}

/** `step` as INT32, `time` as text, metrics as DOUBLE; an absent value is null. */
export async function parquetBytes({ steps, times, columns }: MetricsTable): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  return new Uint8Array(
    parquetWriteBuffer({
      createdBy: "verl-ts",
      columnData: [
        { name: "step", data: [...steps], type: "INT32" },
        { name: "time", data: [...times], type: "STRING", nullable: true },
        ...[...columns].map(([name, data]) => ({ name, data: [...data], type: "DOUBLE" as const, nullable: true })),
      ],
    }),
  );
}
