import { suggest } from '../core/suggest.js'
import { ecbPublication } from '../core/time.js'
import type { Rate } from '../domains/forex/model.js'
import { readLatestDate, removeRates, writeRates } from '../domains/forex/store.js'
import {
  type InstrumentFacts,
  readLastConfirmed,
  removeInstruments,
  writeInstruments,
} from '../domains/instruments/store.js'
import {
  type CandleRow,
  readLatestCandleEnd,
  removeCandles,
  removeSupplies,
  type SupplyRow,
  writeCandles,
  writeSupplies,
} from '../domains/market/store.js'
import type { Transaction } from '../platform/database/database.js'
import { CONSENSUS_SOURCE } from './candles-policy.js'
import { type BoundFeed, bindFeed, IngestError, type Provider, SEED_SOURCE, type Sink } from './feed.js'
import { ecbDaily } from './providers/ecb/ecb-daily.js'
import { ecbHistory } from './providers/ecb/ecb-history.js'
import { ecb } from './providers/ecb/provider.js'
import { binance } from './providers/exchanges/binance.js'
import { bitstamp } from './providers/exchanges/bitstamp.js'
import { coinbase } from './providers/exchanges/coinbase.js'
import { kraken } from './providers/exchanges/kraken.js'
import { okx } from './providers/exchanges/okx.js'
import { cryptoDataDownload } from './providers/exchanges/provider.js'
import type { VenueAdapter } from './providers/exchanges/venue-adapter.js'
import { openFigi } from './providers/openfigi/provider.js'
import { seedProvider } from './seed/seed-provider.js'

/** Where rates go; their newest fact is the publication of the latest day, whenever it arrived. */
export const forexSink: Sink<Rate> = {
  write: writeRates,
  removeSeed: (tx) => removeRates(tx, SEED_SOURCE),
  observedAt: async (tx) => {
    const latest = await readLatestDate(tx)
    return latest === null ? null : ecbPublication(latest)
  },
}

/** Where master data goes; it is as old as its last confirmation. */
export const instrumentsSink: Sink<InstrumentFacts> = {
  write: writeInstruments,
  removeSeed: (tx) => removeInstruments(tx, SEED_SOURCE),
  observedAt: readLastConfirmed,
}

/** Where candles go; they are as new as the end of the newest window. */
export const candlesSink: Sink<CandleRow> = {
  write: writeCandles,
  removeSeed: (tx) => removeCandles(tx, SEED_SOURCE),
  observedAt: readLatestCandleEnd,
}

/** Where supplies go; they are as new as the newest count. */
export const supplySink: Sink<SupplyRow> = {
  write: writeSupplies,
  removeSeed: (tx) => removeSupplies(tx, SEED_SOURCE),
  observedAt: readNewestSupply,
}

/** Every venue that one-minute bars can be had from. */
export const VENUE_ADAPTERS: readonly VenueAdapter[] = [binance, bitstamp, coinbase, kraken, okx]

const PROVIDERS: readonly Provider[] = [ecb, openFigi, cryptoDataDownload, seedProvider]

/**
 * Whether the data of a `source` may be used commercially, by the terms of its provider; a consensus by those of all
 * venues behind it. Null for an unknown source.
 */
export function allowsCommercialUse(source: string): boolean | null {
  if (source === CONSENSUS_SOURCE) {
    return VENUE_ADAPTERS.every(({ provider }) => provider.licensedForCommercialUse)
  }
  return PROVIDERS.find(({ id }) => id === source)?.licensedForCommercialUse ?? null
}

/** Every feed that an operator may run, by id. */
export const FEEDS: readonly BoundFeed[] = [bindFeed(ecbHistory, forexSink), bindFeed(ecbDaily, forexSink)]

/** The feed of that id; throws IngestError that names the likely one, or all. */
export function findFeed(id: string): BoundFeed {
  const bound = FEEDS.find(({ feed }) => feed.id === id)
  if (bound !== undefined) return bound
  const ids = FEEDS.map(({ feed }) => feed.id)
  const likely = suggest(id, ids)
  const hint = likely === null ? `known are ${ids.join(', ')}` : `did you mean ${likely}?`
  throw new IngestError(`there is no feed ${JSON.stringify(id)}; ${hint}`)
}

async function readNewestSupply(tx: Transaction): Promise<Date | null> {
  const [newest] = await tx.rows<{ observedAt: Date | null }>(
    'select max(observed_at) as "observedAt" from asset_supply where known_to is null',
  )
  return newest?.observedAt ?? null
}
