/** The value below which a share of the samples lies; NaN without samples. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export interface Times {
  readonly count: number
  /** In the unit of the samples; null without samples. */
  readonly p50: number | null
  readonly p99: number | null
  readonly max: number | null
}

export function timesOf(samples: readonly number[]): Times {
  const of = (share: number) => (samples.length === 0 ? null : quantile(samples, share))
  return { count: samples.length, p50: of(0.5), p99: of(0.99), max: of(1) }
}

/** Formats rows with their names under a heading. Widths follow the contents. */
export function tableText(
  title: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const all = [['', ...heads], ...rows]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  const lines = all.map((row) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    ),
  )
  return `\n${title}\n${lines.map((cells) => `  ${cells.join('  ').trimEnd()}`).join('\n')}\n`
}

export function fixed(value: number | null, digits = 0): string {
  return value === null || Number.isNaN(value) ? '-' : value.toFixed(digits)
}

export const MEBIBYTE = 2 ** 20
