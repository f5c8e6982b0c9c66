/** One row of the table: the work and its findings. */
export interface Figures {
  readonly part: string
  /** Amounts of work by name. */
  readonly done: Readonly<Record<string, number>>
  readonly findings: readonly string[]
}

/** Parses the lines of the tests, one JSON object per line. */
export function parseFigures(text: string): readonly Figures[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as Figures) // written by test/support/figures.ts
}
