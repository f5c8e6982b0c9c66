import type { Given } from '../../core/argument-parsers.js'
import { type Decimal, toJsonNumber } from '../../core/decimal.js'
import type { IsoDate } from '../../core/time.js'
import { builder } from '../../schema-kit/builder.js'
import { withComputed } from '../../schema-kit/envelope.js'
import { type ArgBuilder, edge } from '../../schema-kit/fields.js'
import { limitArgument, reportDateArguments } from '../../schema-kit/shared-arguments.js'
import { day, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { AaoifiRatiosType } from '../analysis/snapshots/content-schema.js'
import type { Listing } from '../instruments/model.js'
import { InstrumentStockType, STOCK_READS } from '../instruments/schema.js'
import { roundedUsd } from './aaoifi-model.js'
import { FIGURE_NAMES, type FigureName } from './figures/figure-rules-model.js'
import type { Figure } from './figures/figures-model.js'
import { AVERAGE_MONTHS, MIN_MONTHS } from './market-cap-model.js'
import { PERIOD_LIMITS, type StatedFact } from './model.js'
import {
  checkFiledBy,
  checkPeriods,
  getFundamentalsOfAsset,
  listEarlierPeriods,
  type StockFundamentals,
} from './service.js'

/** The datasets of the fundamentals of a stock, including those of its listing. */
export const FUNDAMENTALS_READS = STOCK_READS

const StatedFactType = withComputed<StatedFact, 'FiledFact'>(
  builder.prismaObject('FiledFact', {
    description: 'A figure as a filing states it.',
    subGraphs: ['Graph'],
  }),
)

builder.objectFields(StatedFactType, (t) =>
  shownFields(t, {
    tag: t.string({
      description: 'Tag with its taxonomy, e.g. us-gaap:Revenues.',
      resolve: ({ taxonomy, tag }) => `${taxonomy}:${tag}`,
    }),
    value: t.float({ description: 'Value in `unit`.', resolve: ({ value }) => Number(value) }),
    unit: text('USD, USD/shares or shares.'),
    period_start: day.orNull('First day of the period. Null for a figure on a single day.', 'periodStart'),
    period_end: day('Last day of the period, or the single day.', 'periodEnd'),
    accession_number: text('Accession number of the filing that states the figure.', 'accession'),
    filing_type: text('Type of the filing, e.g. 10-K.', 'form'),
    filed_date: day('Date of the filing.', 'filed'),
  }),
)

const FigureType = builder.objectRef<Figure>('FiledFigure').implement({
  description: 'A figure of a fiscal year and the filed facts behind it.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      figure: text('Name of the figure, e.g. total_debt_usd.', 'name'),
      value: t.float({
        nullable: true,
        description: 'Sum of the facts, in `unit`. Null if the filings do not state it completely.',
        resolve: ({ value }) => jsonNumber(value),
      }),
      unit: text('USD, USD/shares or shares.'),
      reason: text.orNull('Why the value is null. Null if the value is not null.'),
      sources: shownAs([StatedFactType])(
        'The facts, each from the latest filing that states it. Empty without a value.',
        'facts',
      ),
    }),
})

/** A figure that is null, with the reason. */
interface MissingFigure {
  readonly figure: string
  readonly reason: string
}

const MissingFigureType = builder.objectRef<MissingFigure>('MissingFigure').implement({
  description: 'Why a figure is null.',
  fields: (t) =>
    shownFields(t, {
      figure: text('Name of the figure.'),
      reason: text('Why the figure is null, in words.'),
    }),
})

const FIGURE_TEXTS: Readonly<Record<FigureName, string>> = {
  revenue_usd: 'Revenue of the year, USD.',
  net_income_usd: 'Net income of the year, USD. Negative for a loss.',
  ebitda_usd: 'Operating income plus depreciation and amortisation of the year, USD.',
  interest_income_usd: 'Interest income of the year, USD.',
  eps_basic: 'Basic earnings per share of the year, USD.',
  eps_diluted: 'Diluted earnings per share of the year, USD.',
  total_debt_usd:
    'Debt that bears interest at the end of the year, including what is due within a year and finance leases, USD.',
  cash_and_equivalents_usd: 'Cash and cash equivalents at the end of the year, USD.',
  short_term_investments_usd: 'Short-term investments and marketable securities at the end of the year, USD.',
  total_assets_usd: 'Total assets at the end of the year, USD.',
  accounts_receivable_usd: 'Current receivables at the end of the year, USD.',
  shares_outstanding: 'Shares outstanding, from the cover page of the filing.',
  public_float_usd:
    'Public float (market value of the shares held by outsiders) at the end of the second fiscal quarter, from the cover page of the filing, USD.',
}

export const StockFundamentalsType = builder.objectRef<StockFundamentals>('StockFundamentals').implement({
  description:
    'Figures of a fiscal year as filed with the SEC, each from the latest filing that states it, with the AAOIFI ratios.',
  fields: (t) => {
    const figure = (name: FigureName) =>
      t.float({
        nullable: true,
        description: `${FIGURE_TEXTS[name]} Null if the filings do not state it completely in this unit. Other currencies are not converted.`,
        resolve: ({ figures }) => jsonNumber(figures[name].value),
      })
    return shownFields(t, {
      ticker: t.string({ description: 'Ticker of the listing.', resolve: ({ listing }) => listing.ticker }),
      period_end_date: t.field({
        type: 'Date',
        description: 'Last day of the fiscal year.',
        resolve: ({ report }) => report.periodEnd,
      }),
      filing_type: t.string({
        description: 'Type of the annual report: 10-K, 20-F or 40-F, with /A for an amendment.',
        resolve: ({ report }) => report.form,
      }),
      accession_number: t.string({
        description: 'Accession number of the latest annual report for the year.',
        resolve: ({ report }) => report.accession,
      }),
      revenue_usd: figure('revenue_usd'),
      net_income_usd: figure('net_income_usd'),
      ebitda_usd: figure('ebitda_usd'),
      interest_income_usd: figure('interest_income_usd'),
      eps_basic: figure('eps_basic'),
      eps_diluted: figure('eps_diluted'),
      total_debt_usd: figure('total_debt_usd'),
      cash_and_equivalents_usd: figure('cash_and_equivalents_usd'),
      short_term_investments_usd: figure('short_term_investments_usd'),
      total_assets_usd: figure('total_assets_usd'),
      accounts_receivable_usd: figure('accounts_receivable_usd'),
      shares_outstanding: figure('shares_outstanding'),
      public_float_usd: figure('public_float_usd'),
      market_cap_avg_24m_usd: t.float({
        nullable: true,
        description: `Average market capitalisation, USD: for each of the ${AVERAGE_MONTHS} months that end with the fiscal year, the last closing price times the shares outstanding at that time. Null if fewer than ${MIN_MONTHS} months have both.`,
        resolve: ({ marketCap: { average } }) => jsonNumber(average && roundedUsd(average)),
      }),
      aaoifi: shownAs(AaoifiRatiosType)(
        'The AAOIFI ratios with their inputs. Without an average market capitalisation, the public float is used.',
      ),
      below_thresholds: t.boolean({
        nullable: true,
        description:
          'True if every AAOIFI ratio is below its bound. This is a signal, never a ruling. Null if a ratio is missing.',
        resolve: ({ aaoifi }) => aaoifi.below_thresholds ?? null,
      }),
      reasons: t.field({
        type: [MissingFigureType],
        description: 'One entry for each figure that is null, with the reason.',
        resolve: listMissingFigures,
      }),
      filed_date: t.field({
        type: 'Date',
        subGraphs: ['Graph'],
        description: 'Date on which the annual report was filed.',
        resolve: ({ report }) => report.filed,
      }),
      figures: t.field({
        type: [FigureType],
        subGraphs: ['Graph'],
        description: 'Every figure with the filed facts behind it.',
        resolve: ({ figures }) => FIGURE_NAMES.map((name) => figures[name]),
      }),
      listing: shownAs(InstrumentStockType).inGraph('The requested listing.'),
    })
  },
})

/** The figures that are null, including the market capitalisation. */
function listMissingFigures({ figures, marketCap }: StockFundamentals): readonly MissingFigure[] {
  const missing = FIGURE_NAMES.flatMap((name) => {
    const { reason } = figures[name]
    return reason === null ? [] : { figure: name, reason }
  })
  const { reason } = marketCap
  return reason === null ? missing : [...missing, { figure: 'market_cap_avg_24m_usd', reason }]
}

/** The day by which a report must have been filed. */
export const filedByArguments = (arg: ArgBuilder) =>
  reportDateArguments(
    arg,
    'Uses only filings up to this date, without later restatements. Not in the future.',
    'today (UTC)',
  )

builder.objectFields(StockFundamentalsType, (t) => ({
  periods: t.field({
    type: [StockFundamentalsType],
    nullable: true,
    description:
      'Earlier fiscal years with a filed annual report, the newest first, as of the same date. Charged per 20 parents, and once more for each further 500 rows of a parent.',
    args: { limit: limitArgument(t.arg, 'Maximum number of fiscal years.', PERIOD_LIMITS) },
    ...edge('fundamentals:read', FUNDAMENTALS_READS, listEarlierPeriods, {
      check: ({ limit }: { readonly limit?: Given<number> }) => checkPeriods(limit),
      rows: (limit) => limit,
    }),
  }),
}))

builder.objectFields(InstrumentStockType, (t) => ({
  fundamentals: t.field({
    type: StockFundamentalsType,
    nullable: true,
    description:
      'The latest fiscal year with a filed annual report. Null without one. Needs fundamentals:read; charged per 20 parents.',
    args: filedByArguments(t.arg),
    ...edge(
      'fundamentals:read',
      FUNDAMENTALS_READS,
      (listing: Listing, filedBy: IsoDate | null, context) =>
        getFundamentalsOfAsset(listing, filedBy, context),
      { check: checkFiledBy },
    ),
  }),
}))

function jsonNumber(value: Decimal | null): number | null {
  return value === null ? null : toJsonNumber(value)
}
