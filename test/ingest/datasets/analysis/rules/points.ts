import type { AnalysisInput, PricePoint } from '../../../../../src/ingest/datasets/analysis/generator.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Noon: yesterday is the last day that has ended, and 11:00 the last hour. */
export const AS_OF = new Date('2026-11-20T12:00:00Z')

/** Days that end with yesterday, oldest first; null: no consensus. */
export function days(prices: readonly (number | null)[], volumeUsd = 1_000): readonly PricePoint[] {
  return points(prices, Date.parse('2026-11-19T00:00:00Z'), DAY_MS, volumeUsd)
}

/** Hours that end with the one before noon. */
export function hours(prices: readonly (number | null)[]): readonly PricePoint[] {
  return points(prices, Date.parse('2026-11-20T11:00:00Z'), HOUR_MS, 10)
}

function points(prices: readonly (number | null)[], lastMs: number, stepMs: number, volumeUsd: number) {
  return prices.map((priceUsd, at) => ({
    ts: new Date(lastMs - (prices.length - 1 - at) * stepMs),
    priceUsd,
    volumeUsd: priceUsd === null ? null : volumeUsd,
    exchangesCount: priceUsd === null ? 2 : 4,
  }))
}

export function input(given: Partial<AnalysisInput>): AnalysisInput {
  return {
    analysisType: 'regime',
    asOf: AS_OF,
    asset: { assetId: 1, slug: 'bitcoin', ticker: 'BTC', name: 'Bitcoin', tier: 1 },
    daily: [],
    hourly: [],
    supplyUnits: null,
    tierBreadth: null,
    token: { kind: 'native_coin', validation: 'proof_of_work' },
    balance: null,
    lineage: [{ dataset: 'candles', version: 3, source: 'consensus_vwap' }],
    ...given,
  }
}

/** n figures: what `of` gives for 0 to n - 1. */
export function times<T>(count: number, of: (at: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, at) => of(at))
}
