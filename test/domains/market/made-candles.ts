import {
  type AssetTier,
  type Consensus,
  consensus,
  METHODOLOGY_VERSION,
  type VenueInput,
} from '../../../src/core/consensus/consensus.js'
import { type Decimal, decimal, decimalText } from '../../../src/core/decimal.js'
import type { Timeframe } from '../../../src/domains/market/model.js'
import { type CandleRow, writeCandles } from '../../../src/domains/market/store.js'
import type { Database } from '../../../src/platform/database/database.js'
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'

/** Price and volume of a venue in USD, or why it has none. */
export type Quotes = Readonly<Record<string, readonly [priceUsd: string, volumeUsd: string] | 'no_volume'>>

/** Four venues around a price, the last of them an outlier; in no round figures. */
export function quotesAround(price: number): Quotes {
  return {
    binance: [String(price * 1.0001), '40123456.789'],
    bitstamp: [String(price * 0.9997), '9876543.21'],
    coinbase: [String(price), '33333333.333'],
    kraken: [String(price * 1.25), '10000000'],
    okx: [String(price * 1.0002), '22222222.2'],
  }
}

/** A candle as the consensus of these venues gives it. */
export function candleOf(
  window: { readonly assetId: number; readonly timeframe: Timeframe; readonly ts: Date },
  quotes: Quotes,
  tier: AssetTier = 1,
): CandleRow {
  const inputs = Object.entries(quotes).map(
    ([venue, quote]): VenueInput =>
      quote === 'no_volume'
        ? { venue, excluded: quote }
        : { venue, vwapUsd: decimal(quote[0]), volumeUsd: decimal(quote[1]) },
  )
  const made: Consensus = consensus(inputs, tier)
  return {
    ...window,
    vwapUsd: text(made.vwapUsd),
    volumeUsd: text(made.volumeUsd),
    exchangesCount: made.exchangesCount,
    maxSourceWeight: text(made.maxSourceWeight),
    methodologyVersion: METHODOLOGY_VERSION,
    sources: made.sources.map(({ venue, vwapUsd, volumeUsd, weight, exclusion, deviation }) => ({
      venue,
      vwapUsd: text(vwapUsd),
      volumeUsd: text(volumeUsd),
      weight: text(weight),
      exclusion,
      deviation: text(deviation),
    })),
  }
}

function text(figure: Decimal | null): string | null {
  return figure === null ? null : decimalText(figure)
}

/** Writes candles and the dataset's version, as a run of a feed does. */
export function commitCandles(
  database: Database,
  rows: readonly CandleRow[],
  knownAt: Date,
  source = 'seed',
): Promise<{ added: number; revised: number; unchanged: number }> {
  return database.transaction(async (tx) => {
    const counts = await writeCandles(tx, rows, { knownAt, source })
    const isDevDataset = source === 'seed'
    const change = { source, isDevDataset, observedAt: knownAt, changedAt: knownAt }
    await bumpDataset(tx, { dataset: 'candles', ...change })
    return counts
  })
}
