import { groupBy } from '../../../core/group-by.js'
import { memoizeByObject } from '../../../core/memoize-by-object.js'
import { endOfPeriod, type Frequency } from '../../../core/period.js'
import type { MacroProvider } from '../../../core/providers.js'
import { endOfDay, type IsoDate, toIsoDate } from '../../../core/time.js'
import type { MacroFact } from '../../../domains/macro/model.js'
import { seriesGrainName } from '../../../domains/macro/series-grains-model.js'
import { MacroWriter, markDiscontinued, removeSeries } from '../../../domains/macro/store.js'
import type { Transaction } from '../../../platform/database/database.js'
import { bindFeed, SEED_SOURCE, type Sink, type TouchedGrains } from '../../feed.js'
import { type Ingestion, seedFeed } from '../../ingestion.js'
import { bisBulkFeeds, bisFile } from '../../providers/bis/bis-csv.js'
import { bojFeed } from '../../providers/boj/boj.js'
import { bokFeed } from '../../providers/bok/bok.js'
import { seedBis, seedBisBody, seedBisVintages } from './seed-bis.js'
import {
  seedBoj,
  seedBojBody,
  seedBojVintages,
  seedBok,
  seedBokBody,
  seedBokVintages,
} from './seed-central-banks.js'

/** Writes the observations of a provider. They are as new as the end of the newest period with a value. */
export function macroSink(provider: MacroProvider): Sink<MacroFact> {
  const writerOf = memoizeByObject((tx: Transaction) => new MacroWriter(tx))
  return {
    write: (tx, rows, known) => writerOf(tx).write(rows, known),
    undo: (tx, rows, known) => writerOf(tx).undo(rows, known),
    finish: async (tx, known) => {
      const withdrawn = await writerOf(tx).withdrawUnlisted(known)
      return { changed: withdrawn + (await markDiscontinued(tx, provider)) }
    },
    removeSeed: (tx) => removeSeries(tx, provider, SEED_SOURCE),
    newest: (rows, { knownAt }) => newestEnd(rows, knownAt),
    touched: async (_sql, rows, { knownAt }) => touchedSeriesGrains(rows, knownAt),
    // Withdrawals and discontinued series are those of datasets in the body.
    changesTouchedOnly: true,
  }
}

/** The grains of the series, each with its newest fact. Null if no grain can name a dataset. */
function touchedSeriesGrains(rows: readonly MacroFact[], knownAt: Date): TouchedGrains | null {
  const byGrain = groupBy(rows, ({ series }) => seriesGrainName(series.dataset) ?? '')
  if (byGrain.has('')) return null
  return new Map([...byGrain].map(([grain, own]) => [grain, newestEnd(own, knownAt)]))
}

/** The end of the newest period with a value, or now if that is in the future; the epoch without any value. */
function newestEnd(rows: readonly MacroFact[], knownAt: Date): Date {
  const newestStarts = new Map<Frequency, IsoDate>()
  for (const row of rows) {
    const { series, periodStart } = row
    if (periodStart === null || row.value === null) continue
    const newest = newestStarts.get(series.frequency)
    if (newest === undefined || periodStart > newest) newestStarts.set(series.frequency, periodStart)
  }
  // Within one frequency, the period that starts last ends last.
  const ends = [...newestStarts].map(([frequency, start]) => endOfPeriod({ frequency, start }))
  const newest = ends.sort().at(-1)
  if (newest === undefined) return new Date(0)
  return newest < toIsoDate(knownAt) ? endOfDay(new Date(`${newest}T00:00:00Z`)) : knownAt
}

/** Writes the series of the BIS. */
export const bisSink = macroSink('bis')

/** Writes the series of the Bank of Japan. */
export const bojSink = macroSink('boj')

/** Writes the series of the Bank of Korea. */
export const bokSink = macroSink('bok')

/** Series of three central-bank providers. */
export const macro = {
  feeds: [
    bindFeed(bisFile, bisSink),
    ...bisBulkFeeds.map((feed) => bindFeed(feed, bisSink)),
    bindFeed(bojFeed, bojSink),
    bindFeed(bokFeed, bokSink),
  ],
  seed: {
    bis: seedFeed(seedBis, bisSink, seedBisBody, { vintages: seedBisVintages }),
    boj: seedFeed(seedBoj, bojSink, seedBojBody, { vintages: seedBojVintages }),
    bok: seedFeed(seedBok, bokSink, seedBokBody, { vintages: seedBokVintages }),
  },
} satisfies Ingestion
