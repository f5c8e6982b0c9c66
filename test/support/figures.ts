import { appendFileSync } from 'node:fs'

/** What a part of `npm run trust` did. */
export interface Figures {
  readonly part: string
  /** How much of what, e.g. `50 kills on pglite`. */
  readonly done: Readonly<Record<string, number>>
  /** One sentence each; none when all is as it must be. */
  readonly findings: readonly string[]
}

/** Figures of a test for the table of `npm run trust`, which names the file; in the suite they are not kept. */
export function noteFigures(figures: Figures): void {
  const file = process.env.TRUST_FIGURES
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figures)}\n`)
}

/** How much of its work a part does: the suite a share, `npm run trust` all of it. */
export function amountOf(name: string, inSuite: number): number {
  const amount = Number(process.env[`TRUST_${name}`] ?? inSuite)
  if (!Number.isInteger(amount) || amount < 1) throw new Error(`TRUST_${name} is a whole number from 1 on`)
  return amount
}

/** Numbers from 0 to below 1 that a seed repeats (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
