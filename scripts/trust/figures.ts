/** What was done in one row of the table, and what was found. */
export interface Figures {
  readonly part: string
  /** How much of what. */
  readonly done: Readonly<Record<string, number>>
  readonly findings: readonly string[]
}

/** One JSON object a line, as the tests write them. */
export function parseFigures(text: string): readonly Figures[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as Figures) // written by test/support/figures.ts
}
