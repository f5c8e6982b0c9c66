import { PROVIDERS, type Provider } from '../../../core/providers.js'
import { touchedCandleGrains } from '../../../domains/market/candles/candle-grains-model.js'
import type { SupplyRow } from '../../../domains/market/model.js'
import { type CandleRow, removeCandles, writeCandles } from '../../../domains/market/store.js'
import {
  removeSupplies,
  setSupplies,
  withdrawSupplies,
  writeSupplies,
} from '../../../domains/market/supply-store.js'
import { bindFeed, SEED_SOURCE, type Sink } from '../../feed.js'
import { type Ingestion, seedFeed } from '../../ingestion.js'
import { binance } from '../../providers/exchanges/binance.js'
import { bitstamp } from '../../providers/exchanges/bitstamp.js'
import { coinbase } from '../../providers/exchanges/coinbase.js'
import { kraken } from '../../providers/exchanges/kraken.js'
import { okx } from '../../providers/exchanges/okx.js'
import type { VenueAdapter } from '../../providers/exchanges/venue-adapter.js'
import type { OwnSupply } from '../../providers/operator/supplies-file.js'
import { supplyByRule } from '../../providers/reference/supply-by-rule.js'
import { newestInstant } from '../newest-instant.js'
import { slugsOfRows } from '../touched-assets.js'
import { CONSENSUS_SOURCE } from './candles-policy.js'
import { endOfWindow } from './roll-up.js'
import { seedCandles, seedCandlesBody, seedCandlesVintages } from './seed-candles.js'
import { seedSupply, seedSupplyBody } from './seed-supply.js'

/** Writes candles. They are as new as the end of the newest window. */
export const candlesSink: Sink<CandleRow> = {
  write: writeCandles,
  removeSeed: (tx) => removeCandles(tx, SEED_SOURCE),
  newest: (candles) => newestInstant(candles.map(endOfWindow)),
  touched: async (sql, candles, { knownAt }) => {
    const slugs = await slugsOfRows(sql, candles)
    return slugs && touchedCandleGrains(candles, slugs, knownAt)
  },
}

/** Writes supplies. They are as new as the newest count. Facts of the operator take precedence. */
export const supplySink: Sink<SupplyRow> = {
  write: (tx, supplies, known) => writeSupplies(tx, supplies, known, [PROVIDERS.operator.id]),
  removeSeed: (tx) => removeSupplies(tx, SEED_SOURCE),
  newest: (supplies) => newestInstant(supplies.map(({ observedAt }) => observedAt)),
  touched: async (sql, supplies) => {
    const slugs = await slugsOfRows(sql, supplies)
    return slugs && new Map(supplies.map(({ assetId, observedAt }) => [slugs.get(assetId) ?? '', observedAt]))
  },
}

/** Writes the operator's supplies, which replace any other until the operator withdraws them. */
export const ownSupplySink: Sink<OwnSupply> = {
  ...supplySink,
  write: async (tx, supplies, known) => {
    const given = supplies.flatMap(({ supply, ...row }) => (supply === null ? [] : { ...row, supply }))
    const taken = supplies.flatMap(({ supply, assetId }) => (supply === null ? assetId : []))
    const counts = await setSupplies(tx, given, known)
    const withdrawn = await withdrawSupplies(tx, taken, known)
    return {
      ...counts,
      revised: counts.revised + withdrawn,
      unchanged: counts.unchanged + taken.length - withdrawn,
    }
  },
}

/** Every venue that serves one-minute bars. */
export const VENUE_ADAPTERS: readonly VenueAdapter[] = [binance, bitstamp, coinbase, kraken, okx]

/** The source of candles from bars of several venues: this gateway. */
export const consensusProvider: Provider = {
  id: CONSENSUS_SOURCE,
  name: 'Consensus of venues',
  url: 'about:blank',
  licence: 'Derived figures; the terms of each venue apply to its bars',
  attribution: `Volume-weighted prices from bars of ${VENUE_ADAPTERS.map(({ provider }) => provider.name).join(', ')}`,
  disclaimer: 'Derived from trades at several venues; not a price at which anyone has traded.',
  licensedForCommercialUse: VENUE_ADAPTERS.every(({ provider }) => provider.licensedForCommercialUse),
}

/** Consensus candles from the venues' bars, and supplies. */
export const market = {
  feeds: [bindFeed(supplyByRule, supplySink)],
  providers: [consensusProvider],
  seed: {
    candles: seedFeed(seedCandles, candlesSink, seedCandlesBody, {
      mends: true,
      vintages: seedCandlesVintages,
    }),
    supply: seedFeed(seedSupply, supplySink, seedSupplyBody),
  },
} satisfies Ingestion
