import { builder } from '../../schema-kit/builder.js'
import { type Freshness, FreshnessType } from '../../schema-kit/envelope.js'
import { number, shownAs, shownFields } from '../../schema-kit/shown-fields.js'
import { InstrumentEtfType, jsonNumberOrNull } from './fund-schema.js'
import type { StoredFund } from './fund-store.js'
import type { StoredHolding } from './holding-store.js'

export const TOP_HOLDINGS = 10

interface EtfResult {
  readonly fund: StoredFund
  readonly top: readonly StoredHolding[]
  readonly _meta: Freshness
}

const TopHoldingType = builder.prismaObject('EtfHolding', {
  variant: 'EtfTopHolding',
  select: { ticker: true, isin: true, name: true, weight: true },
  description: 'One of the heaviest holdings of an ETF.',
  fields: (t) =>
    shownFields(t, {
      ticker: t.string({
        description: 'Ticker of the holding. If the source has none, its ISIN, otherwise its name.',
        resolve: ({ ticker, isin, name }) => ticker ?? isin ?? name,
      }),
      weight: number('Share of the net assets of the fund, a fraction.'),
    }),
})

export const EtfResultType = builder.objectRef<EtfResult>('EtfResult').implement({
  description: 'An ETF with its net asset value and its heaviest holdings.',
  fields: (t) =>
    shownFields(t, {
      ticker: t.string({ description: 'Upper-case ticker.', resolve: ({ fund }) => fund.ticker }),
      name: t.string({ description: 'Name of the fund.', resolve: ({ fund }) => fund.name }),
      nav: t.float({
        nullable: true,
        description:
          'Net asset value of one share, in the currency of the fund. Null if no source gives it or the data to compute it. Net assets are never shown as NAV.',
        resolve: ({ fund }) => jsonNumberOrNull(fund.nav?.value ?? null),
      }),
      nav_date: t.field({
        type: 'Date',
        nullable: true,
        description: 'Date of nav. Null without nav.',
        resolve: ({ fund }) => fund.nav?.date ?? null,
      }),
      holdings_count: t.int({
        nullable: true,
        description: 'Number of holdings in the newest report. Null without a report.',
        resolve: ({ fund }) => fund.report?.holdingsCount ?? null,
      }),
      top_holdings: t.field({
        type: [TopHoldingType],
        description: `The ${TOP_HOLDINGS} heaviest holdings. Empty without a report.`,
        resolve: ({ top }) => [...top],
      }),
      source: t.string({
        nullable: true,
        description: 'Provider of the report. Null without a report.',
        resolve: ({ fund }) => fund.report?.reportSource ?? null,
      }),
      _meta: shownAs(FreshnessType)('How fresh the report is.'),
      instrument: t.field({
        type: InstrumentEtfType,
        subGraphs: ['Graph'],
        description: 'The fund as an instrument.',
        resolve: ({ fund }) => fund,
      }),
    }),
})
