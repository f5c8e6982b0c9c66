import type { Asset } from '../../generated/prisma/client.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { edge } from '../../schema-kit/fields.js'
import { asOfArguments, dayRangeArguments, seriesPageArguments } from '../../schema-kit/shared-arguments.js'
import { day, number, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { AssetCardType } from '../asset-cards/card-schema.js'
import { type AssetDailyPrice, listAssetPrices, parseAssetPrices } from './asset-prices-service.js'
import { AdjustmentType, PriceActionType } from './price-types-schema.js'
import { DEFAULT_PRICE_DAYS, type PriceSeriesQuery } from './service.js'

const DailyPriceSource = describedEnum('DailyPriceSource', 'Where the price of a day comes from.', {
  close: 'The closing price of the market of a stock or ETF.',
  consensus_vwap:
    'The volume-weighted consensus of a crypto asset over several exchanges and the day in UTC.',
})

const LISTED_ONLY =
  'Null for crypto assets, which have no consensus of it, and if the source of a stock or ETF does not state it.'

const AssetDailyPriceType = builder.objectRef<AssetDailyPrice>('AssetDailyPrice').implement({
  description: 'The price of an asset on one day, in one shape for crypto assets, stocks and ETFs.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      date: day('Trading day of a stock or ETF; day in UTC of a crypto asset.'),
      open: number.orNull(`First price of the day. ${LISTED_ONLY}`),
      high: number.orNull(`Highest price of the day. ${LISTED_ONLY}`),
      low: number.orNull(`Lowest price of the day. ${LISTED_ONLY}`),
      close: number.orNull(`Closing price of the day. ${LISTED_ONLY}`),
      price: number.orNull('Price of the day by `price_source`, in `currency`. Null without a consensus.'),
      price_source: shownAs(DailyPriceSource)('What price is.', 'priceSource'),
      volume: number.orNull('Shares traded. Null for crypto assets, and if the source does not state it.'),
      volume_usd: number.orNull(
        'Value of a crypto asset traded on the exchanges used, USD. Null for stocks and ETFs.',
        'volumeUsd',
      ),
      currency: text('Currency of the prices (ISO 4217).'),
      adjusted_close: number.orNull(
        'price times factor, in `currency`. Null without a price, and with `adjust` none.',
        'adjustedClose',
      ),
      factor: number.orNull(
        'Product of the factors of `actions`; 1 for crypto assets. Null with `adjust` none.',
      ),
      actions: shownAs([PriceActionType])(
        'The actions behind the factor, newest first. Always empty for crypto assets.',
      ),
    }),
})

builder.objectField(AssetCardType, 'prices', (t) =>
  t.field({
    type: [AssetDailyPriceType],
    nullable: true,
    description:
      'Daily prices, oldest first, in pages: one question for crypto assets, stocks and ETFs. Null for commodities, and for crypto assets that no exchange trades. Older days of crypto assets need history:full, as in ohlcv. Needs instruments:read; charged per 20 parents, and once more for each further 500 days of an asset.',
    args: {
      ...dayRangeArguments(t.arg, `${DEFAULT_PRICE_DAYS} days before \`to\``),
      adjust: t.arg({
        type: AdjustmentType,
        defaultValue: 'none',
        description: 'What adjusted_close of a stock or ETF is adjusted for.',
      }),
      ...asOfArguments(t.arg),
      ...seriesPageArguments(t.arg),
    },
    ...edge(
      'instruments:read',
      ['instruments', 'prices', 'corporate_actions', 'dividends', 'candles'],
      (asset: Asset, query: PriceSeriesQuery, context) => listAssetPrices(asset, query, context),
      { check: parseAssetPrices, rows: ({ limit }) => limit },
    ),
  }),
)
