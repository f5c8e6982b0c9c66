import { type DayRange, type KnownAsOf, parseAsOf } from '../../core/day-range.js'
import { derivedMeta } from '../../core/disclaimer.js'
import { endOfDay } from '../../core/time.js'
import type { Asset } from '../../generated/prisma/client.js'
import { stateOfParts } from '../../platform/database/versions/data-version.js'
import { builder } from '../../schema-kit/builder.js'
import { datasetStateOf, defineEnvelope, envelope } from '../../schema-kit/envelope.js'
import { edge, queryEndpoint } from '../../schema-kit/fields.js'
import {
  AS_OF_CHECKS,
  ASSET_SLUG_TEXT,
  asOfArguments,
  HISTORY_CHECKS,
  historyArguments,
} from '../../schema-kit/shared-arguments.js'
import { day, integer, number, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { withComputed } from '../../schema-kit/with-computed.js'
import { AssetCardType, cardEdge } from '../asset-cards/card-schema.js'
import { assetArguments } from '../assets/by-schema.js'
import { parseAssetName } from '../assets/by-service.js'
import { ONCHAIN_METRICS_METHOD } from './model.js'
import {
  getOnchainHistory,
  getOnchainMetrics,
  getOnchainMetricsOfAsset,
  type OnchainMetrics,
} from './service.js'

const UNKNOWN = 'Null if unknown.'
const NO_SOURCE = 'Null for the community data of Coin Metrics, which do not include it.'

/** A column of the star schema is named after the unit of this asset. */
const BITCOIN = 'bitcoin'

const MetricsType = withComputed<OnchainMetrics, 'AssetOnchain'>(
  builder.prismaObject('AssetOnchain', {
    variant: 'OnchainMetricsResponse',
    description: 'On-chain figures of a crypto asset for one UTC day.',
  }),
)

builder.objectFields(MetricsType, (t) =>
  shownFields(t, {
    asset_id: integer('Integer key of the asset, as in the star schema.', 'assetId'),
    slug: t.string({
      description: ASSET_SLUG_TEXT,
      resolve: ({ asset }) => asset.slug,
    }),
    ticker: t.string({ description: 'Upper-case ticker, e.g. BTC.', resolve: ({ asset }) => asset.ticker }),
    snapshot_date: day('UTC day of the figures.', 'snapshotDate'),
    active_addresses: shownAs('BigInt').orNull(
      `Number of distinct addresses that sent or received on the day. ${UNKNOWN}`,
      'activeAddresses',
    ),
    tx_count: shownAs('BigInt').orNull(`Number of transactions on the day. ${UNKNOWN}`, 'txCount'),
    fees_total_usd: number.orNull(`Fees that users paid on the day, USD. ${UNKNOWN}`, 'feesTotalUsd'),
    avg_fee_usd: number.orNull(
      'fees_total_usd divided by tx_count, USD. Null if one of them is null, and on a day without transactions.',
      'avgFeeUsd',
    ),
    source_rpc: text('Provider that read the chain: coinmetrics, or seed for synthetic figures.', 'source'),
    realized_cap_usd: number.orNull(
      `Realized capitalisation: the sum of all units, each at its price when it last moved, USD. ${UNKNOWN}`,
      'realizedCapUsd',
    ),
    mvrv_ratio: number.orNull(
      `Market capitalisation divided by realized capitalisation. ${UNKNOWN}`,
      'mvrvRatio',
    ),
    nupl: number.orNull(
      'Net unrealized profit or loss: 1 - 1/mvrv_ratio, a fraction of at most 1. Null without mvrv_ratio.',
    ),
    sopr: number.orNull(
      `Spent output profit ratio: the value of the moved units divided by their value when they last moved. ${NO_SOURCE}`,
    ),
    realized_price_usd: number.orNull(
      'realized_cap_usd divided by the supply, USD. Null if one of them is unknown.',
      'realizedPriceUsd',
    ),
    hodl_waves: shownAs('JSONObject').orNull(
      `Share of the supply by the time since it last moved: an object from age band (1y-2y) to fraction. ${NO_SOURCE}`,
      'hodlWaves',
    ),
    circulating_supply_btc: t.float({
      nullable: true,
      description:
        'Issued units of bitcoin, BTC. Null for other assets. GraphQL has circulating_supply for all assets.',
      resolve: ({ asset, circulatingSupply }) => (asset.slug === BITCOIN ? circulatingSupply : null),
    }),
    methodology_version: text('Version of the method for derived figures.', 'methodologyVersion'),
    circulating_supply: number.orNull.inGraph(
      `Issued units, as counted by the chain. ${UNKNOWN}`,
      'circulatingSupply',
    ),
    history: t.field({
      type: [MetricsType],
      nullable: true,
      description:
        'Days of the range, oldest first. Returns the newest `limit` days. Charged per 20 parents.',
      args: historyArguments(t.arg, { limit: 'Maximum number of days per asset.' }),
      ...edge(
        'onchain:read',
        ['asset_onchain'],
        (metrics: OnchainMetrics, range: DayRange, context) => getOnchainHistory(metrics, range, context),
        HISTORY_CHECKS,
      ),
    }),
    asset: t.field({ ...cardEdge(), description: 'The card of the asset. Charged per 20 parents.' }),
  }),
)

builder.objectFields(AssetCardType, (t) => ({
  onchain_metrics: t.field({
    type: MetricsType,
    nullable: true,
    description:
      'On-chain figures of the newest day. Null for other classes, and without figures. Needs onchain:read; charged per 20 parents.',
    args: { ...asOfArguments(t.arg) },
    ...edge(
      'onchain:read',
      ['asset_onchain'],
      (asset: Asset, { asOf }: KnownAsOf, context) => getOnchainMetricsOfAsset(asset, asOf, context),
      AS_OF_CHECKS,
    ),
  }),
}))

/** Partial if any figure is unknown. */
function qualityOf(metrics: OnchainMetrics): 'full' | 'partial' {
  return Object.values(metrics).includes(null) ? 'partial' : 'full'
}

queryEndpoint('onchain_metrics', {
  summary: 'On-chain metrics of a crypto asset',
  keywords: ['active addresses', 'transactions', 'MVRV', 'NUPL', 'SOPR', 'realized cap', 'network activity'],
  description:
    'Active addresses, transactions, fees and valuation by realized capitalisation of the newest available day. ' +
    'An asset of another class gets a 404 that names the endpoint for its class.',
  access: 'onchain:read',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/assets/{id}/onchain', tag: 'on-chain' },
  errors: ['not_found', 'service_unavailable'],
  reads: ['instruments', 'asset_onchain'],
  type: defineEnvelope(MetricsType, 'OnchainMetricsEnvelope'),
  args: (arg) => ({ ...assetArguments(arg), ...asOfArguments(arg) }),
  check: async ({ id, by, ...args }, context) => ({
    slug: await parseAssetName({ id, by }, context),
    ...parseAsOf(args, context),
  }),
  resolve: async ({ slug, asOf }, context) => {
    const metrics = await getOnchainMetrics(slug, asOf, context)
    const state = stateOfParts(datasetStateOf(context, 'asset_onchain'), new Set([metrics.source]))
    const observedAt = endOfDay(new Date(metrics.snapshotDate))
    return envelope(context, { ...state, observedAt }, 'onchain', metrics, {
      ...derivedMeta(ONCHAIN_METRICS_METHOD, state.changedAt),
      data_quality: qualityOf(metrics),
      methodology_version: metrics.methodologyVersion,
    })
  },
})
