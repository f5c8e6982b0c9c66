import type { Asset } from '../../generated/prisma/client.js'
import { type DataPart, grainOf } from '../../platform/database/versions/data-parts.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { edge } from '../../schema-kit/fields.js'
import { ASSET_SLUG_TEXT } from '../../schema-kit/shared-arguments.js'
import { instant, integer, number, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { withComputed } from '../../schema-kit/with-computed.js'
import { AssetClassType } from '../assets/schema.js'
import { InstrumentStockType, STOCK_READS } from '../instruments/schema.js'
import { getPrimaryListing } from '../instruments/service.js'
import { ConsensusStatusType, candleArguments } from '../market/candles/candle-arguments-schema.js'
import { candleGrain, candleGrainOf, windowOfInputs } from '../market/candles/candle-grains-model.js'
import {
  type CandleQuery,
  type InputsWindow,
  parseCandleQuery,
  parseInputsWindow,
} from '../market/candles/candle-query-service.js'
import { ConsensusInputsType, inputsArguments } from '../market/inputs-schema.js'
import { windowCount } from '../market/model.js'
import { OhlcvResponseType, SupplyType } from '../market/schema.js'
import { getAssetSupply, getCandlesOfAsset, getConsensusInputsOfAsset } from '../market/service.js'
import type { Card } from './model.js'
import { getCardOfAsset } from './service.js'

const PriceSourceType = describedEnum('PriceSource', 'Where the price of a card comes from.', {
  consensus_vwap: 'Volume-weighted consensus over several exchanges.',
  none: 'The card has no price.',
})

export const AssetCardType = withComputed<Card, 'Asset'>(
  builder.prismaObject('Asset', {
    variant: 'AssetCard',
    description: 'An asset with its latest consensus price: crypto, stock, ETF or commodity.',
  }),
)

builder.objectFields(AssetCardType, (t) =>
  shownFields(t, {
    asset_id: integer('Integer key of the asset, as in the star schema. Not its slug.'),
    ticker: text('Upper-case ticker, e.g. BTC. Not unique across asset classes.'),
    name: text('Name of the asset.'),
    tier: integer.orNull(
      'Rank tier of a crypto asset: 1 (ranks 1–50), 2 (51–200), 3 (201–1000). Null for other classes.',
    ),
    price_consensus_usd: number.orNull(
      'Consensus price of the newest finished window, USD. Null without a consensus.',
    ),
    market_cap_derived_usd: number.orNull(
      'Price times supply, USD, to 15 significant digits. Null without price or supply.',
    ),
    last_updated: instant(
      'End of the window of the latest consensus. Without a consensus, the time when the master data was last confirmed.',
    ),
    price_source: shownAs(PriceSourceType)('consensus_vwap, or none without a price.'),
    source_count: integer.orNull(
      'Number of exchanges that passed every rule of the latest consensus. Null without a consensus.',
    ),
    consensus_status: shownAs(ConsensusStatusType).orNull(
      'Status of the latest consensus. Null without a consensus.',
    ),
    methodology_version: text.orNull('Version of the consensus method. Null without a consensus.'),
    slug: text.inGraph(ASSET_SLUG_TEXT),
    asset_class: shownAs(AssetClassType).inGraph('crypto, stock, etf or commodity.', 'assetClass'),
    stock: t.field({
      type: InstrumentStockType,
      nullable: true,
      description:
        'The primary listing of a stock. Null for other classes. Needs instruments:read; charged per 20 parents.',
      ...edge(
        'instruments:read',
        STOCK_READS,
        async (asset: { assetId: number; assetClass: string }, _args, context) =>
          asset.assetClass === 'stock' ? getPrimaryListing(asset.assetId, context) : null,
      ),
    }),
    ohlcv: t.field({
      type: OhlcvResponseType,
      nullable: true,
      description:
        'Candles of the asset, with the rules and defaults of the root field ohlcv. Null if no exchange trades the asset. Charged per 20 parents, and once more for each further 500 candles of an asset.',
      args: candleArguments(t.arg),
      ...edge(
        'caller',
        ['candles'],
        (asset: Asset, query: CandleQuery, context) => getCandlesOfAsset(asset, query, context),
        {
          check: parseCandleQuery,
          rows: ({ windows }) => windowCount(windows),
          grains: (slug, { windows }, context) => [candleGrainOf(slug, windows, context)],
        },
      ),
    }),
    consensus_inputs: t.field({
      type: ConsensusInputsType,
      nullable: true,
      description:
        'What one candle of the asset was computed from, as in the root field consensus_inputs. Null if no such candle is stored. Charged per 20 parents.',
      args: inputsArguments(t.arg),
      ...edge(
        'caller',
        ['candles'],
        (asset: Asset, window: InputsWindow, context) => getConsensusInputsOfAsset(asset, window, context),
        {
          check: parseInputsWindow,
          grains: (slug, window, context) => [candleGrainOf(slug, windowOfInputs(window), context)],
        },
      ),
    }),
    supply: t.field({
      type: SupplyType,
      nullable: true,
      subGraphs: ['Graph'],
      description:
        'Number of units of the asset. market_cap_derived_usd is the price times this number. Null if the supply is unknown.',
      resolve: (asset, _args, context) => getAssetSupply(asset, context),
    }),
  }),
)

/** The datasets that every card is computed from. */
export const CARD_READS = ['instruments', 'candles', 'supply'] as const

/** The edge from a parent to the card of its asset. */
export const cardEdge = () => ({
  type: AssetCardType,
  description: 'The asset. Charged per 20 parents.',
  ...edge('caller', CARD_READS, ({ asset }: { readonly asset: Asset }, _args: object, context) =>
    getCardOfAsset(asset, context),
  ),
})

/** The grains that the card of one asset is computed from. Its master data has none. */
export const cardGrains = (slug: string): readonly DataPart[] => [candleGrain(slug), grainOf('supply', slug)]
