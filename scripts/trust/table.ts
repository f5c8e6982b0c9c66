import type { Figures } from './figures.js'

/** Formats one line per part with its work and number of findings, and all findings below. */
export function tableOf(figures: readonly Figures[]): string {
  const rows = figures.map(({ part, done, findings }) => [
    part,
    Object.entries(done)
      .map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
      .join(', '),
    String(findings.length),
  ])
  const all = [['part', 'done', 'findings'], ...rows]
  const widths = [0, 1, 2].map((at) => Math.max(...all.map((row) => row[at]?.length ?? 0)))
  const lines = all.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const found = figures.flatMap(({ part, findings }) => findings.map((text) => `- ${part}: ${text}`))
  return [...lines, ...(found.length === 0 ? ['no findings'] : found)].join('\n')
}
