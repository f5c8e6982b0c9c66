import { toJsonNumber } from '../../core/decimal.js'
import { builder } from '../../schema-kit/builder.js'
import { InstrumentStockType } from '../instruments/schema.js'
import { roundedUsd } from './aaoifi-model.js'
import { MAX_COUNT_AGE_DAYS, MAX_PRICE_AGE_DAYS } from './market-cap-model.js'
import { getMarketCap } from './service.js'

builder.objectFields(InstrumentStockType, (t) => ({
  market_cap_usd: t.float({
    nullable: true,
    description:
      'Newest imported closing price times the shares outstanding, USD. The number of shares is from the newest SEC cover page ' +
      `before the price. Null without a price in USD of the last ${MAX_PRICE_AGE_DAYS} days; without a share count of at most ` +
      `${MAX_COUNT_AGE_DAYS} days before the price (companies that do not file with the SEC, share classes that are counted ` +
      'separately); if the count is from a 20-F or not plausible; and if the shares were split or exchanged in a merger in between.',
    resolve: async (listing, _args, context) => {
      const { valueUsd } = await getMarketCap(listing, context)
      return valueUsd && toJsonNumber(roundedUsd(valueUsd))
    },
  }),
  market_cap_reason: t.string({
    nullable: true,
    description: 'Why `market_cap_usd` is null. Null if it is not null.',
    resolve: async (listing, _args, context) => (await getMarketCap(listing, context)).reason,
  }),
}))
