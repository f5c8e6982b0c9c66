import { type KnownAsOf, parseAsOf } from '../../core/day-range.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { edge } from '../../schema-kit/fields.js'
import { asOfArguments } from '../../schema-kit/shared-arguments.js'
import { day, number, shownFields, text } from '../../schema-kit/shown-fields.js'
import { AssetCardType } from '../asset-cards/card-schema.js'
import { InstrumentEtfType } from '../etf/fund-schema.js'
import { InstrumentStockType } from '../instruments/schema.js'
import { getPrimaryListing } from '../instruments/service.js'
import { getNewestClose } from './service.js'

const ClosePriceSource = describedEnum('ListingPriceSource', 'Where the price of a listing comes from.', {
  close: 'The closing price of the market.',
})

const NewestCloseType = builder.prismaObject('DailyPrice', {
  variant: 'NewestClose',
  select: { close: true, currency: true, date: true, source: true },
  description:
    'The newest closing price of a listing, as traded. It is not a consensus of several exchanges.',
  fields: (t) =>
    shownFields(t, {
      close: number('Closing price of one share in `currency`, as traded.'),
      currency: text('Currency of the price (ISO 4217).'),
      date: day('Trading day of the price.'),
      price_source: t.field({
        type: ClosePriceSource,
        description: 'Always close.',
        resolve: () => 'close' as const,
      }),
      source: text('Provider of the price. `seed` marks synthetic data.'),
    }),
})

const NOW = { day: null, knownAt: null } as const

const DESCRIPTION = 'Newest closing price, because consensus prices exist for crypto assets only.'

builder.objectField(InstrumentStockType, 'newest_close', (t) =>
  t.field({
    type: NewestCloseType,
    nullable: true,
    description: `${DESCRIPTION} Null if no price is known.`,
    resolve: (listing, _args, context) => getNewestClose(listing, NOW, context),
  }),
)

builder.objectField(InstrumentEtfType, 'newest_close', (t) =>
  t.field({
    type: NewestCloseType,
    nullable: true,
    description: `${DESCRIPTION} It differs from nav. Where the ETF is requested as of a day or an instant, it is the newest close of that day, as known then. Null if no price is known.`,
    resolve: (fund, _args, context) => getNewestClose(fund, fund.requested, context),
  }),
)

builder.objectField(AssetCardType, 'newest_close', (t) =>
  t.field({
    type: NewestCloseType,
    nullable: true,
    description:
      'Newest closing price of the primary listing of a stock or ETF, which has no consensus price. Null for other classes, and if no price is known. Needs instruments:read; charged per 20 parents.',
    args: { ...asOfArguments(t.arg) },
    ...edge(
      'instruments:read',
      ['instruments', 'prices'],
      async (asset: { assetId: number; assetClass: string }, { asOf }: KnownAsOf, context) => {
        const isListed = asset.assetClass === 'stock' || asset.assetClass === 'etf'
        const listing = isListed ? await getPrimaryListing(asset.assetId, context) : null
        return listing && getNewestClose(listing, { day: null, knownAt: asOf }, context)
      },
      { check: parseAsOf },
    ),
  }),
)
