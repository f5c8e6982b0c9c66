import type { QuoteCurrency, VenueBar } from '../../../core/consensus/venue-vwap.js'
import type { Decimal } from '../../../core/decimal.js'
import { loadCandlesOfDay } from '../../../domains/market/backfill-store.js'
import type { Queries } from '../../../platform/database/database.js'
import type { UsdRate, Window } from '../../datasets/market/roll-up.js'
import { loadStablecoinId } from '../usd-rates.js'
import { rateOfStored } from './candles-of-day.js'

type RateOfWindow = (window: Window) => Decimal | null

/**
 * The rates of a UTC day for the currencies of bars, each read once. The stablecoins of the day must be written
 * before.
 */
export function createStoredRates(day: Date): (sql: Queries, bars: readonly VenueBar[]) => Promise<UsdRate> {
  const known = new Map<QuoteCurrency, RateOfWindow>()
  return async (sql, bars) => {
    for (const { quoteCurrency } of bars) {
      if (known.has(quoteCurrency)) continue
      known.set(quoteCurrency, await loadStoredRate(sql, quoteCurrency, day))
    }
    return (currency, window) => known.get(currency)?.(window) ?? null
  }
}

async function loadStoredRate(sql: Queries, currency: QuoteCurrency, day: Date): Promise<RateOfWindow> {
  const assetId = await loadStablecoinId(sql, currency)
  return assetId === null
    ? () => null
    : rateOfStored(currency, await loadCandlesOfDay(sql.prisma, assetId, day))
}
