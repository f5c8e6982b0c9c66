import { type DayRange, type KnownAsOf, parseAsOf } from '../../core/day-range.js'
import { derivedMeta } from '../../core/disclaimer.js'
import { endOfDay } from '../../core/time.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { UsedState } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
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
import { day, number, shownFields, text } from '../../schema-kit/shown-fields.js'
import { AssetCardType, cardEdge } from '../asset-cards/card-schema.js'
import { assetArguments } from '../assets/by-schema.js'
import { parseAssetName } from '../assets/by-service.js'
import { PROTOCOL_FUNDAMENTALS_METHOD } from './model.js'
import {
  getFundamentalsHistory,
  getProtocolFundamentals,
  getProtocolFundamentalsOfAsset,
  type ProtocolFundamentals,
} from './service.js'

const NO_FIGURE = 'Null if no protocol of the asset has this figure.'
const NO_RATIO = 'Null without a market capitalisation, and if the divisor is missing or not above zero.'

const FundamentalsType = builder.objectRef<ProtocolFundamentals>('FundamentalsResponse')

FundamentalsType.implement({
  description: 'Valuation of a crypto asset by the fees of its protocols and chains, on one UTC day.',
  fields: (t) =>
    shownFields(t, {
      asset_id: t.string({
        description: ASSET_SLUG_TEXT,
        resolve: ({ asset }) => asset.slug,
      }),
      ticker: t.string({ description: 'Upper-case ticker, e.g. ETH.', resolve: ({ asset }) => asset.ticker }),
      snapshot_date: day('UTC day on which the fees of the preceding time were read.', 'snapshotDate'),
      ps_ratio: number.orNull(`Market capitalisation divided by fees_annualized. ${NO_RATIO}`, 'psRatio'),
      pr_ratio: number.orNull(`Market capitalisation divided by revenue_annualized. ${NO_RATIO}`, 'prRatio'),
      fees_30d_usd: number.orNull(
        `Fees that users paid in the last 30 days, USD. ${NO_FIGURE}`,
        'fees30dUsd',
      ),
      revenue_30d_usd: number.orNull(
        `Part of the fees of the last 30 days that the protocols kept, USD. ${NO_FIGURE}`,
        'revenue30dUsd',
      ),
      fees_annualized: number.orNull(`fees_30d_usd times 12, USD. ${NO_FIGURE}`, 'feesAnnualized'),
      revenue_annualized: number.orNull(`revenue_30d_usd times 12, USD. ${NO_FIGURE}`, 'revenueAnnualized'),
      methodology_version: text('Version of the method for derived ratios.', 'methodologyVersion'),
      history: t.field({
        type: [FundamentalsType],
        nullable: true,
        description:
          'Days of the range, oldest first. Returns the newest `limit` days. Charged per 20 parents.',
        args: historyArguments(t.arg, { limit: 'Maximum number of days per asset.' }),
        ...edge(
          'fundamentals:read',
          ['protocols'],
          (fundamentals: ProtocolFundamentals, range: DayRange, context) =>
            getFundamentalsHistory(fundamentals, range, context),
          HISTORY_CHECKS,
        ),
      }),
      asset: t.field({ ...cardEdge(), description: 'The card of the asset. Charged per 20 parents.' }),
    }),
})

builder.objectFields(AssetCardType, (t) => ({
  fundamentals: t.field({
    type: FundamentalsType,
    nullable: true,
    description:
      'Valuation by fees on the newest day. Null for other classes, and without a valuation. Needs fundamentals:read; charged per 20 parents.',
    args: { ...asOfArguments(t.arg) },
    ...edge(
      'fundamentals:read',
      ['protocols'],
      (asset: Asset, { asOf }: KnownAsOf, context) => getProtocolFundamentalsOfAsset(asset, asOf, context),
      AS_OF_CHECKS,
    ),
  }),
}))

/** Fees, price and supply may come from three providers. The state is synthetic if any of them is. */
function stateOfFundamentals(
  { snapshotDate, source, priceSource, supplySource }: ProtocolFundamentals,
  context: RequestContext,
): UsedState {
  const state = datasetStateOf(context, 'protocols')
  const sources = [...new Set([source, priceSource, supplySource])].filter((one) => one !== null)
  // The day of today's fees has not ended, so their age counts from the run that read them.
  const end = endOfDay(new Date(snapshotDate))
  return {
    ...state,
    source,
    sources,
    isDevDataset: sources.includes('seed'),
    observedAt: new Date(Math.min(end.getTime(), state.observedAt.getTime())),
  }
}

queryEndpoint('asset_fundamentals', {
  summary: 'Fundamentals of a crypto asset',
  keywords: ['price to fees', 'P/F', 'protocol revenue', 'fees', 'crypto valuation'],
  description:
    'Price-to-fees and price-to-revenue ratios of the newest available day, with the 30-day fees and revenue of the ' +
    "asset's protocols and chains. An asset of another class gets a 404 that names the endpoint for its class.",
  access: 'fundamentals:read',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/assets/{id}/fundamentals', tag: 'fundamentals' },
  errors: ['not_found', 'service_unavailable'],
  reads: ['instruments', 'protocols'],
  type: defineEnvelope(FundamentalsType, 'FundamentalsEnvelope'),
  args: (arg) => ({ ...assetArguments(arg), ...asOfArguments(arg) }),
  check: async ({ id, by, ...args }, context) => ({
    slug: await parseAssetName({ id, by }, context),
    ...parseAsOf(args, context),
  }),
  resolve: async ({ slug, asOf }, context) => {
    const fundamentals = await getProtocolFundamentals(slug, asOf, context)
    const { psRatio, prRatio, revenue30dUsd, fees30dUsd, methodologyVersion } = fundamentals
    const state = stateOfFundamentals(fundamentals, context)
    return envelope(context, state, 'daily', fundamentals, {
      ...derivedMeta(PROTOCOL_FUNDAMENTALS_METHOD, state.changedAt),
      data_quality: [psRatio, prRatio, revenue30dUsd, fees30dUsd].includes(null) ? 'partial' : 'full',
      methodology_version: methodologyVersion,
    })
  },
})
