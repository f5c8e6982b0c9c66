import type { Asset } from '../../generated/prisma/client.js'
import { builder } from '../../schema-kit/builder.js'
import { edge } from '../../schema-kit/fields.js'
import { day, number, shownFields, text } from '../../schema-kit/shown-fields.js'
import { AssetCardType } from '../asset-cards/card-schema.js'
import { getPriceChanges, type PriceChanges } from './price-changes-service.js'

const PriceChangesType = builder.objectRef<PriceChanges>('PriceChanges').implement({
  description: 'The newest price of an asset and how it has changed, for every class.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      price: number.orNull(
        'In `currency`: the newest consensus of a crypto asset, the newest daily price of the last 45 days of another asset. Null without one.',
      ),
      currency: text('Currency of the price (ISO 4217).'),
      price_date: day.orNull(
        'Day of the price: trading day of a close; day in UTC on which the window of a consensus ended. Null without a price.',
        'priceDate',
      ),
      change_1d: number.orNull(
        'Fraction of the earlier price: over 24 hours for a crypto asset, otherwise since the trading day before, adjusted for splits. Null without an earlier price.',
        'change1d',
      ),
      change_7d: number.orNull(
        'Fraction of the earlier price over 7 days, adjusted for splits. Null without an earlier price.',
        'change7d',
      ),
      reason: text.orNull('Why a price or a change is null. Null if none is.'),
    }),
})

builder.objectField(AssetCardType, 'price_changes', (t) =>
  t.field({
    type: PriceChangesType,
    description:
      'The newest price and its changes. Prices of stocks, ETFs and commodities need instruments:read. Charged per 20 parents.',
    ...edge(
      'caller',
      ['instruments', 'prices', 'corporate_actions', 'dividends', 'candles'],
      (asset: Asset, _args: object, context) => getPriceChanges(asset, context),
    ),
  }),
)
