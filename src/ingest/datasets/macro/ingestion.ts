import { groupBy } from '../../../core/group-by.js'
import { memoizeByObject } from '../../../core/memoize-by-object.js'
import { endOfPeriod, type Frequency } from '../../../core/period.js'
import type { MacroProvider } from '../../../core/providers.js'
import { endOfDay, type IsoDate, toIsoDate } from '../../../core/time.js'
import { MACRO_PROVIDERS, type MacroFact } from '../../../domains/macro/model.js'
import { seriesGrainName } from '../../../domains/macro/series/series-grains-model.js'
import { MacroWriter, markDiscontinued, removeSeries } from '../../../domains/macro/store.js'
import type { Transaction } from '../../../platform/database/database.js'
import { type AnyFeed, bindFeed, SEED_SOURCE, type Sink, type TouchedGrains } from '../../feed.js'
import { type Ingestion, type SeedFeed, seedFeed } from '../../ingestion.js'
import { bisBulkFeeds, bisFile } from '../../providers/bis/bis-csv.js'
import { blsFeed, blsHistoryFeed } from '../../providers/bls/bls.js'
import { BLS_SERIES } from '../../providers/bls/series-list.js'
import { bojFeed } from '../../providers/boj/boj.js'
import { BOJ_SERIES } from '../../providers/boj/series-list.js'
import { bokFeed } from '../../providers/bok/bok.js'
import { BOK_SERIES } from '../../providers/bok/series-list.js'
import { ecbSeriesFeed, ecbSeriesHistoryFeed } from '../../providers/ecb/ecb-series.js'
import { ECB_SERIES } from '../../providers/ecb/series-list.js'
import { UST_SERIES } from '../../providers/ust/series-list.js'
import { treasuryFeed, treasuryHistoryFeed } from '../../providers/ust/treasury.js'
import { seedBis, seedBisBody, seedBisVintages } from './seed-bis.js'
import { seedSeries } from './seed-series.js'

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

/**
 * The end of the newest period with a value that has begun, or now if it has not ended; the epoch without any value. An
 * announced value of a later day does not make the data newer.
 */
function newestEnd(rows: readonly MacroFact[], knownAt: Date): Date {
  const today = toIsoDate(knownAt)
  const newestStarts = new Map<Frequency, IsoDate>()
  for (const row of rows) {
    const { series, periodStart } = row
    if (periodStart === null || row.value === null || periodStart > today) continue
    const newest = newestStarts.get(series.frequency)
    if (newest === undefined || periodStart > newest) newestStarts.set(series.frequency, periodStart)
  }
  // Within one frequency, the period that starts last ends last.
  const ends = [...newestStarts].map(([frequency, start]) => endOfPeriod({ frequency, start }))
  const newest = ends.sort().at(-1)
  if (newest === undefined) return new Date(0)
  return newest < today ? endOfDay(new Date(`${newest}T00:00:00Z`)) : knownAt
}

interface PublisherFeeds {
  readonly feeds: readonly AnyFeed<MacroFact>[]
  seed(sink: Sink<MacroFact>): SeedFeed
}

/** The feeds and the synthetic values of each publisher. */
const PUBLISHERS: Readonly<Record<MacroProvider, PublisherFeeds>> = {
  bis: {
    feeds: [bisFile, ...bisBulkFeeds],
    seed: (sink) => seedFeed(seedBis, sink, seedBisBody, { vintages: seedBisVintages }),
  },
  boj: { feeds: [bojFeed], seed: (sink) => seedSeries('boj', BOJ_SERIES, sink) },
  bls: {
    feeds: [blsHistoryFeed, blsFeed],
    seed: (sink) => seedSeries('bls', BLS_SERIES, sink),
  },
  ecb: {
    feeds: [ecbSeriesHistoryFeed, ecbSeriesFeed],
    seed: (sink) => seedSeries('ecb', ECB_SERIES, sink),
  },
  ust: {
    feeds: [treasuryHistoryFeed, treasuryFeed],
    seed: (sink) => seedSeries('ust', UST_SERIES, sink),
  },
  bok: { feeds: [bokFeed], seed: (sink) => seedSeries('bok', BOK_SERIES, sink) },
}

const BOUND = MACRO_PROVIDERS.map((provider) => {
  const sink = macroSink(provider)
  const { feeds, seed } = PUBLISHERS[provider]
  return { provider, feeds: feeds.map((feed) => bindFeed(feed, sink)), seed: seed(sink) }
})

/** Series of central banks and statistical offices. */
export const macro = {
  feeds: BOUND.flatMap(({ feeds }) => feeds),
  // Safe: each publisher has an entry.
  seed: Object.fromEntries(BOUND.map(({ provider, seed }) => [provider, seed])) as Record<
    MacroProvider,
    SeedFeed
  >,
} satisfies Ingestion
