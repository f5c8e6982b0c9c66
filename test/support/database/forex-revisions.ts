import { decimal, decimalText } from '../../../src/core/decimal.js'
import { parseCurrencyCode } from '../../../src/core/identifiers.js'
import { addDays, type IsoDate, toIsoDate } from '../../../src/core/time.js'
import { writeRates } from '../../../src/domains/forex/store.js'
import type { Database } from '../../../src/platform/database/database.js'
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'
import type { TestApp } from '../app/app.js'

/** Currencies of a revision; each is read by a statement of its own. */
export const REVISED = ['USD', 'JPY', 'GBP'] as const

/** Days of a revision, up to the one it is made on: a day more than a query without `from` asks for. */
const DAYS = 32

/** Commits a revision as the run of a feed does: every rate of every currency becomes `value`, with the version. */
export async function reviseRates(database: Database, value: number, now: Date): Promise<void> {
  const today = toIsoDate(now)
  const dates = Array.from({ length: DAYS }, (_, day): IsoDate => addDays(today, -day))
  const rates = REVISED.flatMap((code) => {
    const quote = parseCurrencyCode(code)
    if (quote === null) throw new Error(`${code} is no currency code`)
    return dates.map((date) => ({ quote, date, rate: decimalText(decimal(value)) }))
  })
  const state = { source: 'seed', isDevDataset: true, observedAt: now, changedAt: now }
  await database.transaction(async (tx) => {
    await writeRates(tx, rates, { knownAt: now, source: 'seed' })
    await bumpDataset(tx, { dataset: 'forex', ...state })
  })
}

/** A revision a second after what is known, and long enough ago for versions that were read meanwhile to have aged. */
export async function commitRevision(
  { clock, database }: Pick<TestApp, 'clock' | 'database'>,
  value: number,
): Promise<void> {
  clock.advance(1_000)
  await reviseRates(database, value, clock.now())
  clock.advance(1_000)
}

/** The rates of a forex answer, each once. */
export function valuesOf(forex: { readonly data: readonly { readonly rate: number }[] }): readonly number[] {
  return [...new Set(forex.data.map(({ rate }) => rate))]
}
