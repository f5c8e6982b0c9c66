import { toJsonNumber } from '../../core/decimal.js'
import { builder } from '../../schema-kit/builder.js'
import { InstrumentStockType } from '../instruments/schema.js'
import { roundedUsd } from './aaoifi-model.js'
import { MAX_COUNT_AGE_DAYS, MAX_PRICE_AGE_DAYS } from './market-cap-model.js'
import { getMarketCap } from './service.js'

builder.objectField(InstrumentStockType, 'market_cap_usd', (t) =>
  t.float({
    nullable: true,
    description:
      'Newest imported closing price times the shares outstanding, USD. The number of shares is from the newest SEC cover page ' +
      `before the price. Null without a price in USD of the last ${MAX_PRICE_AGE_DAYS} days; without a share count of at most ` +
      `${MAX_COUNT_AGE_DAYS} days before the price (companies that do not file with the SEC, share classes that are counted ` +
      'separately); if the count is from a 20-F; and if the shares were split or exchanged in a merger in between.',
    resolve: async (listing, _args, context) => {
      const marketCap = await getMarketCap(listing, context)
      return marketCap && toJsonNumber(roundedUsd(marketCap.valueUsd))
    },
  }),
)
