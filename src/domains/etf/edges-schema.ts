import { type Given, parseLimit } from '../../core/argument-parsers.js'
import { OFFSET_LIMITS, type OffsetPage, parseOffsetPage } from '../../core/page.js'
import { Problems } from '../../core/problems.js'
import type { Asset } from '../../generated/prisma/client.js'
import { builder } from '../../schema-kit/builder.js'
import { type ArgBuilder, edge } from '../../schema-kit/fields.js'
import { ASSET_SLUG_TEXT, limitArgument, offsetPageArguments } from '../../schema-kit/shared-arguments.js'
import { day, instant, shownFields, text } from '../../schema-kit/shown-fields.js'
import { AssetCardType, CARD_READS } from '../asset-cards/card-schema.js'
import { getCardBySlug } from '../asset-cards/service.js'
import { InstrumentStockType } from '../instruments/schema.js'
import { FORMER_REPORT_DATE, InstrumentEtfType, jsonNumberOrNull, parseJsonNumber } from './fund-schema.js'
import { NOW, type StoredFund } from './fund-store.js'
import { EtfHoldingType } from './holding-schema.js'
import { getFundOfAsset, getHoldings, type Holder, listHolders } from './service.js'

/** The datasets that responses about ETFs read. */
export const ETF_READS = ['instruments', 'etf'] as const

/** The datasets of the figures of an ETF, including those of its newest close. */
export const FUND_READS = [...ETF_READS, 'prices'] as const

export const EtfHolderType = builder.objectRef<Holder>('EtfHolder').implement({
  description: 'An ETF that holds an asset according to its newest report.',
  fields: (t) =>
    shownFields(t, {
      ticker: t.string({ description: 'Upper-case ticker of the ETF.', resolve: ({ fund }) => fund.ticker }),
      name: t.string({ description: 'Name of the ETF.', resolve: ({ fund }) => fund.name }),
      isin: t.string({
        nullable: true,
        description: 'ISIN of the ETF (ISO 6166). Null if unknown.',
        resolve: ({ fund }) => fund.isin,
      }),
      slug: t.string({ description: ASSET_SLUG_TEXT, resolve: ({ fund }) => fund.slug }),
      etf: t.field({
        type: InstrumentEtfType,
        subGraphs: ['Graph'],
        description: 'The ETF.',
        resolve: ({ fund }) => fund,
      }),
      weight: t.float({
        description:
          'Share of the asset in the fund, a fraction. If the report lists the asset several times, the sum.',
        resolve: ({ weight }) => parseJsonNumber(weight),
      }),
      shares: t.float({
        nullable: true,
        description: 'Number of shares that the fund holds. Null if the source does not state it.',
        resolve: ({ shares }) => jsonNumberOrNull(shares),
      }),
      market_value_usd: t.float({
        nullable: true,
        description: 'Value of the holding, USD. Null if its value in USD is unknown.',
        resolve: ({ marketValueUsd }) => jsonNumberOrNull(marketValueUsd),
      }),
      report_date: day('Date of the report.', 'asOf'),
      published_at: instant.orNull(
        'Time of publication or filing of the report. Null if the source does not state it.',
        'publishedAt',
      ),
      source: text('Provider of the report, e.g. sec or ishares. seed marks a synthetic report.'),
      as_of: t.field({ ...FORMER_REPORT_DATE, subGraphs: ['Graph'], resolve: ({ asOf }) => asOf }),
    }),
})

const heldByArguments = (arg: ArgBuilder) => ({
  limit: limitArgument(arg, 'Maximum number of ETFs per asset.', OFFSET_LIMITS),
})

const HELD_BY =
  'ETFs that hold this asset according to their newest reports, sorted by weight, the heaviest first. Holdings are matched as in EtfHolding.instrument. Needs etf:read; charged per 20 parents.'

function parseHeldBy({ limit: given }: { readonly limit?: Given<number> }): { limit: number } {
  const problems = new Problems()
  const limit = parseLimit(problems, given, OFFSET_LIMITS)
  problems.refuse()
  return { limit }
}

const heldByEdge = edge(
  'etf:read',
  FUND_READS,
  async ({ assetId }: { readonly assetId: number }, { limit }: { limit: number }, context) =>
    (await listHolders(assetId, { limit, offset: 0 }, NOW, context)).holders,
  { check: parseHeldBy },
)

builder.objectFields(AssetCardType, (t) => ({
  etf: t.field({
    type: InstrumentEtfType,
    nullable: true,
    description: 'The ETF of this asset. Null for other classes. Needs etf:read; charged per 20 parents.',
    ...edge('etf:read', FUND_READS, (asset: Asset, _args: object, context) => getFundOfAsset(asset, context)),
  }),
  held_by: t.field({
    type: [EtfHolderType],
    nullable: true,
    description: HELD_BY,
    args: heldByArguments(t.arg),
    ...heldByEdge,
  }),
}))

builder.objectField(InstrumentStockType, 'held_by', (t) =>
  t.field({
    type: [EtfHolderType],
    nullable: true,
    description: HELD_BY,
    args: heldByArguments(t.arg),
    ...heldByEdge,
  }),
)

function parsePage(args: { readonly limit?: Given<number>; readonly offset?: Given<number> }): OffsetPage {
  const problems = new Problems()
  const page = parseOffsetPage(problems, args)
  problems.refuse()
  return page
}

builder.objectFields(InstrumentEtfType, (t) => ({
  holdings: t.field({
    type: [EtfHoldingType],
    nullable: true,
    description: 'A page of the holdings in the newest report, the heaviest first. Charged per 20 parents.',
    args: offsetPageArguments(t.arg),
    ...edge(
      'etf:read',
      ETF_READS,
      (fund: StoredFund, page: OffsetPage, context) => getHoldings(fund, page, context),
      { check: parsePage },
    ),
  }),
  asset: t.field({
    type: AssetCardType,
    nullable: true,
    description: 'The card of the asset. Charged per 20 parents.',
    ...edge('caller', CARD_READS, ({ slug }: StoredFund, _args: object, context) =>
      getCardBySlug(slug, context),
    ),
  }),
}))
