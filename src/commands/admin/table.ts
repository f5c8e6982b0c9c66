/** Shown in a table for null. */
const ABSENT = '-'

export type Cell = string | number | Date | null

/** Formats rows as aligned columns under their names, with numbers on the right. Returns `empty` without rows. */
export function table(names: readonly string[], rows: readonly (readonly Cell[])[], empty: string): string {
  if (rows.length === 0) return `${empty}\n`
  const lines = [names, ...rows.map((row) => row.map(cellText))]
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const isNumber = names.map((_, column) => {
    const cells = rows.map((row) => row[column] ?? null).filter((cell) => cell !== null)
    return cells.length > 0 && cells.every((cell) => typeof cell === 'number')
  })
  const aligned = (text: string, column: number) =>
    isNumber[column] ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0)
  return lines.map((line) => `${line.map(aligned).join('  ').trimEnd()}\n`).join('')
}

/** Formats one name and value per line. */
export function facts(pairs: readonly (readonly [string, Cell])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}\n`).join('')
}

function cellText(value: Cell): string {
  if (value === null || value === '') return ABSENT
  if (value instanceof Date) return value.toISOString().replace(/\.\d+Z$/, 'Z')
  // Labels are free text, so characters that control the terminal or the direction of text are removed.
  return String(value).replace(/\p{C}/gu, '?')
}
