import { DAILY_PRICE } from '../../generated/columns.js'
import { sourceRemover } from '../../platform/bi-temporal/remove-source.js'
import { type SeriesTable, storedColumns, unstatable } from '../../platform/bi-temporal/series-table.js'
import { stagedSeries } from '../../platform/bi-temporal/staged-series.js'
import { seriesUndoer } from '../../platform/bi-temporal/undo-rows.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Database } from '../../platform/database/database.js'
import type { DailyPrice, PricedListing } from './model.js'

const PRICES = {
  name: 'daily_price',
  key: storedColumns(DAILY_PRICE, 'instrumentId', 'date', 'source'),
  values: [
    ...storedColumns(DAILY_PRICE, 'close', 'currency'),
    ...storedColumns(DAILY_PRICE, 'open', 'high', 'low', 'volume').map(unstatable),
  ],
  notes: [],
  // Exchanges everywhere have closed by then.
  learnedAt: `(i.date + interval '1 day') at time zone 'UTC'`,
} satisfies SeriesTable<DailyPrice>

/** Adds and revises prices. See `seriesWriter`. */
export const writePrices = seriesWriter<DailyPrice>(PRICES)

/** Adds and revises prices in slices that do not block other writers. See `stagedSeries`. */
export const stagePrices = stagedSeries<DailyPrice>(PRICES)

/** Undoes what a run wrote for the prices of these days. See `seriesUndoer`. */
export const undoPrices = seriesUndoer<DailyPrice>(PRICES)

/** Removes all prices of a source, closed ones too, and returns their number. */
export const removePrices = sourceRemover(({ dailyPrice }) => [dailyPrice])

/** The listings of all stocks and funds. */
export function loadPricedListings({ prisma }: Pick<Database, 'prisma'>): Promise<readonly PricedListing[]> {
  return prisma.instrument.findMany({
    where: { asset: { assetClass: { in: ['stock', 'etf'] } } },
    select: { instrumentId: true, ticker: true, mic: true, exchange: true },
    orderBy: { instrumentId: 'asc' },
  })
}
