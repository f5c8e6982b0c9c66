import { type DayRange, type KnownAsOf, parseAsOf } from '../../core/day-range.js'
import { derivedMeta } from '../../core/disclaimer.js'
import { endOfDay } from '../../core/time.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { UsedState } from '../../platform/database/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { builder } from '../../schema-kit/builder.js'
import { datasetStateOf, defineEnvelope, envelope } from '../../schema-kit/envelope.js'
import { edge, queryEndpoint } from '../../schema-kit/fields.js'
import {
  AS_OF_CHECKS,
  ASSET_SLUG_TEXT,
  asOfArgument,
  HISTORY_CHECKS,
  historyArguments,
  slugArgument,
} from '../../schema-kit/shared-arguments.js'
import { AssetCardType, CARD_READS } from '../asset-cards/card-schema.js'
import { getCardOfAsset } from '../asset-cards/service.js'
import { parseAssetId } from '../assets/service.js'
import { PROTOCOL_FUNDAMENTALS_METHODOLOGY } from './model.js'
import {
  getFundamentalsHistory,
  getProtocolFundamentals,
  getProtocolFundamentalsOfAsset,
  type ProtocolFundamentals,
} from './service.js'

const NO_FIGURE = 'Null where no protocol of the asset has one.'
const NO_RATIO = 'Null without a market capitalisation, and where the figure is missing or not above zero.'

const FundamentalsType = builder.objectRef<ProtocolFundamentals>('FundamentalsResponse')

FundamentalsType.implement({
  description: 'Valuation of a crypto asset by the fees of its protocols and chains, as of one UTC day.',
  fields: (t) => ({
    asset_id: t.string({
      description: ASSET_SLUG_TEXT,
      resolve: ({ asset }) => asset.slug,
    }),
    ticker: t.string({ description: 'Upper-case ticker, e.g. ETH.', resolve: ({ asset }) => asset.ticker }),
    snapshot_date: t.expose('snapshotDate', {
      type: 'Date',
      description: 'UTC day on which the fees of the time before were read.',
    }),
    ps_ratio: t.exposeFloat('psRatio', {
      nullable: true,
      description: `Market capitalisation over fees_annualized. ${NO_RATIO}`,
    }),
    pr_ratio: t.exposeFloat('prRatio', {
      nullable: true,
      description: `Market capitalisation over revenue_annualized. ${NO_RATIO}`,
    }),
    fees_30d_usd: t.exposeFloat('fees30dUsd', {
      nullable: true,
      description: `What users paid in the last 30 days, USD. ${NO_FIGURE}`,
    }),
    revenue_30d_usd: t.exposeFloat('revenue30dUsd', {
      nullable: true,
      description: `What the protocols kept of it, USD. ${NO_FIGURE}`,
    }),
    fees_annualized: t.exposeFloat('feesAnnualized', {
      nullable: true,
      description: `fees_30d_usd times 12, USD. ${NO_FIGURE}`,
    }),
    revenue_annualized: t.exposeFloat('revenueAnnualized', {
      nullable: true,
      description: `revenue_30d_usd times 12, USD. ${NO_FIGURE}`,
    }),
    methodology_version: t.exposeString('methodologyVersion', {
      description: 'Version of the rules by which ratios are derived.',
    }),
    history: t.field({
      type: [FundamentalsType],
      nullable: true,
      description:
        'Days of the range, oldest first; of more than `limit` the newest. Charged per 20 parents; all assets of an answer are one read.',
      args: historyArguments(t.arg, { limit: 'Most days of an asset.' }),
      ...edge(
        'fundamentals:read',
        ['protocols'],
        (fundamentals: ProtocolFundamentals, range: DayRange, context) =>
          getFundamentalsHistory(fundamentals, range, context),
        HISTORY_CHECKS,
      ),
    }),
    asset: t.field({
      type: AssetCardType,
      description: 'The card of the asset. Charged per 20 parents.',
      ...edge('caller', CARD_READS, ({ asset }: ProtocolFundamentals, _args: object, context) =>
        getCardOfAsset(asset, context),
      ),
    }),
  }),
})

builder.objectFields(AssetCardType, (t) => ({
  fundamentals: t.field({
    type: FundamentalsType,
    nullable: true,
    description:
      'Valuation by fees of the newest day; null for other classes, and while there is none. Needs fundamentals:read; charged per 20 parents.',
    args: { as_of: asOfArgument(t.arg) },
    ...edge(
      'fundamentals:read',
      ['protocols'],
      (asset: Asset, { asOf }: KnownAsOf, context) => getProtocolFundamentalsOfAsset(asset, asOf, context),
      AS_OF_CHECKS,
    ),
  }),
}))

/** Fees, price and supply may come from three providers; synthetic when any of them is. */
function stateOfFundamentals(
  { snapshotDate, source, priceSource, supplySource }: ProtocolFundamentals,
  context: RequestContext,
): UsedState {
  const state = datasetStateOf(context, 'protocols')
  const sources = [...new Set([source, priceSource, supplySource])].filter((one) => one !== null)
  // Of today's fees the run that read them is the newest fact.
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
  description:
    'Price to fees and price to revenue of the newest day that is known, with the fees and revenue of 30 days of the ' +
    "asset's protocols and chains. An asset that is no crypto asset is a 404 that names where it has its own facts.",
  access: 'fundamentals:read',
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/assets/{id}/fundamentals', tag: 'fundamentals' },
  errors: ['not_found', 'service_unavailable'],
  reads: ['instruments', 'protocols'],
  type: defineEnvelope(FundamentalsType, 'FundamentalsEnvelope'),
  args: (arg) => ({ id: slugArgument(arg), as_of: asOfArgument(arg) }),
  check: ({ id, ...args }, context) => ({ slug: parseAssetId(id), ...parseAsOf(args, context) }),
  resolve: async ({ slug, asOf }, context) => {
    const fundamentals = await getProtocolFundamentals(slug, asOf, context)
    const { psRatio, prRatio, revenue30dUsd, fees30dUsd, methodologyVersion } = fundamentals
    const state = stateOfFundamentals(fundamentals, context)
    return envelope(context, state, 'daily', fundamentals, {
      ...derivedMeta(PROTOCOL_FUNDAMENTALS_METHODOLOGY, state.changedAt),
      data_quality: [psRatio, prRatio, revenue30dUsd, fees30dUsd].includes(null) ? 'partial' : 'full',
      methodology_version: methodologyVersion,
    })
  },
})
