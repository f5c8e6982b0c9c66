import type { ColumnarRow } from '../../../src/platform/columnar/columns.js'

const VENUES = ['binance', 'bitstamp', 'coinbase', 'kraken']
const HOURS_OF_ASSET = 10_000
const FIRST_HOUR = Date.UTC(2025, 0, 1)
const KNOWN_FROM = new Date('2026-11-20T12:00:00Z')

/** Candles from one number to another, 10,000 hours of each asset. Figures have as many digits as those of venues. */
export async function* candleBatches(
  from: number,
  to: number,
  size: number,
): AsyncGenerator<readonly ColumnarRow[]> {
  for (let start = from; start < to; start += size)
    yield Array.from({ length: Math.min(size, to - start) }, (_, index) => candleOf(start + index))
}

function candleOf(row: number): ColumnarRow {
  const price = 100 + fractionOf(row) * 1_000
  const volume = 1e6 + fractionOf(row + 1) * 1e9
  return {
    asset_id: Math.floor(row / HOURS_OF_ASSET) + 1,
    timeframe: '1h',
    ts: new Date(FIRST_HOUR + (row % HOURS_OF_ASSET) * 3_600_000),
    vwap_usd: Number(price.toPrecision(15)),
    volume_usd: Number(volume.toPrecision(15)),
    exchanges_count: VENUES.length,
    max_source_weight: (0.25 + fractionOf(row + 2) / 4).toFixed(10),
    methodology_version: 'vwap-consensus-1',
    sources: JSON.stringify(
      VENUES.map((venue, place) => sourceOf(venue, row * VENUES.length + place, price)),
    ),
    source: 'seed',
    known_from: KNOWN_FROM,
    known_to: null,
  }
}

function sourceOf(venue: string, seed: number, price: number) {
  return {
    venue,
    weight: fractionOf(seed).toFixed(10),
    vwapUsd: (price * (1 + fractionOf(seed + 1) / 1_000)).toPrecision(8),
    deviation: (fractionOf(seed + 2) / 1_000).toFixed(10),
    exclusion: null,
    volumeUsd: (fractionOf(seed + 3) * 1e9).toPrecision(8),
  }
}

/** In [0, 1), without a pattern that a compressor finds (a multiplicative hash by Knuth). */
function fractionOf(seed: number): number {
  return (Math.imul(seed + 1, 2_654_435_761) >>> 0) / 2 ** 32
}
