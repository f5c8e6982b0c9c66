import type { QuoteCurrency } from '../../core/consensus/venue-vwap.js'
import type { Decimal } from '../../core/decimal.js'
import { loadAssetsBySlug } from '../../domains/assets/store.js'
import { loadBars } from '../../domains/market/bar-store.js'
import type { Queries } from '../../platform/database/database.js'
import { spanOf, stablecoinRate, type UsdRate, type Window } from '../datasets/market/roll-up.js'

/** Assets whose own price converts the prices of others. */
export const STABLECOINS: readonly {
  readonly ticker: Exclude<QuoteCurrency, 'USD'>
  readonly slug: string
}[] = [
  { ticker: 'USDT', slug: 'tether' },
  { ticker: 'USDC', slug: 'usdc' },
]

/** Rates of stablecoins by window, each read once. */
export interface UsdRates {
  /** Reads the rates of windows of one UTC day; USD needs none. */
  prepare(sql: Queries, currency: QuoteCurrency, windows: readonly Window[]): Promise<void>
  /** Null for a window that was not prepared or has no known rate. */
  readonly rateOf: UsdRate
}

export function isStablecoin({ ticker }: { readonly ticker: string }): boolean {
  return STABLECOINS.some((coin) => coin.ticker === ticker)
}

/** Sorts the assets so that each comes after those that convert it. */
export function stablecoinsFirst<A extends { readonly ticker: string }>(assets: readonly A[]): readonly A[] {
  const rank = ({ ticker }: A) => {
    const place = STABLECOINS.findIndex((coin) => coin.ticker === ticker)
    return place < 0 ? STABLECOINS.length : place
  }
  return assets.toSorted((a, b) => rank(a) - rank(b))
}

export function createUsdRates(): UsdRates {
  const rates = new Map<string, Decimal | null>()
  return {
    prepare: async (sql, currency, windows) => {
      const unknown = windows.filter((window) => !rates.has(keyOf(currency, window)))
      if (currency === 'USD' || unknown.length === 0) return
      const assetId = await loadStablecoinId(sql, currency)
      const bars = assetId === null ? [] : await loadBars(sql, { assetId, ...spanOf(unknown) })
      for (const window of unknown) rates.set(keyOf(currency, window), stablecoinRate(window, bars))
    },
    rateOf: (currency, window) => rates.get(keyOf(currency, window)) ?? null,
  }
}

/** The asset of a stablecoin; null for US dollars, and while it is not stored. */
export async function loadStablecoinId(sql: Queries, currency: QuoteCurrency): Promise<number | null> {
  const slug = STABLECOINS.find(({ ticker }) => ticker === currency)?.slug
  if (slug === undefined) return null
  return (await loadAssetsBySlug(sql, [slug])).get(slug)?.assetId ?? null
}

function keyOf(currency: QuoteCurrency, { timeframe, ts }: Window): string {
  return `${currency} ${timeframe} ${ts.getTime()}`
}
