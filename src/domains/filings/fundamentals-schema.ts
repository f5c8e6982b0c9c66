import type { Given } from '../../core/argument-parsers.js'
import { type Decimal, toJsonNumber } from '../../core/decimal.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { type ArgBuilder, edge } from '../../schema-kit/fields.js'
import { limitArgument, reportDateArguments } from '../../schema-kit/shared-arguments.js'
import { day, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { withComputed } from '../../schema-kit/with-computed.js'
import { AaoifiRatiosType } from '../analysis/snapshots/content-schema.js'
import type { Listing } from '../instruments/model.js'
import { InstrumentStockType, STOCK_READS } from '../instruments/schema.js'
import { roundedUsd } from './aaoifi-model.js'
import { FIGURE_NAMES, type FigureName } from './figures/figure-rules-model.js'
import { FIGURE_TEXTS } from './figures/figure-texts-model.js'
import type { Figure } from './figures/figures-model.js'
import { AVERAGE_MONTHS, MIN_MONTHS } from './market-cap-model.js'
import { PERIOD_LIMITS, type StatedFact } from './model.js'
import { calculationText } from './periods/combined-amounts-model.js'
import { startOfFigures } from './periods/period-figures-model.js'
import {
  checkPeriods,
  checkSelection,
  getFundamentalsOfAsset,
  listEarlierPeriods,
  type PeriodSelection,
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

const CALCULATION =
  'How the value is computed from amounts of other periods, with their filings. Null if the filings state it for the period.'
const NOTE =
  'What is to be known beside the value: why four quarters do not add up to the year or to the twelve months. Null if nothing is.'

const FigureType = builder.objectRef<Figure>('FiledFigure').implement({
  description: 'A figure of a period and the filed facts behind it.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      figure: text('Name of the figure, e.g. total_debt_usd.', 'name'),
      value: t.float({
        nullable: true,
        description:
          'Sum of `sources` less the sum of `subtracted`, in `unit`. Null if the filings do not state it completely.',
        resolve: ({ value }) => jsonNumber(value),
      }),
      unit: text('USD, USD/shares or shares.'),
      reason: text.orNull('Why the value is null. Null if the value is not null.'),
      sources: shownAs([StatedFactType])(
        'The facts that the value adds, each from the latest filing that states it. Empty without a value.',
        'facts',
      ),
      subtracted: shownAs([StatedFactType])(
        'The facts that the value subtracts. Empty for a figure that the filings state.',
      ),
      calculation: t.string({
        nullable: true,
        description: CALCULATION,
        resolve: calculationText,
      }),
      note: text.orNull(NOTE),
    }),
})

const FigureFilingsType = builder.objectRef<Figure>('FigureFilings').implement({
  description: 'The filings behind a figure.',
  fields: (t) =>
    shownFields(t, {
      figure: text('Name of the figure, e.g. revenue_usd.', 'name'),
      accession_numbers: t.stringList({
        description:
          'Accession numbers of the filings that state the figure or parts of it, in ascending order.',
        resolve: ({ facts, subtracted }) =>
          [...new Set([...facts, ...subtracted].map(({ accession }) => accession))].toSorted(),
      }),
      calculation: t.string({ nullable: true, description: CALCULATION, resolve: calculationText }),
      note: text.orNull(NOTE),
    }),
})

export const FundamentalsPeriodType = describedEnum(
  'FundamentalsPeriod',
  'The kind of period that figures are of.',
  {
    year: 'A fiscal year, as filed.',
    quarter:
      'A quarter: as filed, otherwise the amount since the start of the fiscal year less the one that ends a quarter earlier.',
    ttm: 'The twelve months that end with a quarter.',
  },
)

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

export const StockFundamentalsType = builder.objectRef<StockFundamentals>('StockFundamentals').implement({
  description:
    'Figures of a period as filed with the SEC, each from the latest filing that states it, with the AAOIFI ratios. A figure is null if the filings do not state it completely in its unit. Other currencies are not converted.',
  fields: (t) => {
    const figure = (name: FigureName) =>
      t.float({
        nullable: true,
        description: `${FIGURE_TEXTS[name]} Null: see \`reasons\`.`,
        resolve: ({ figures }) => jsonNumber(figures[name].value),
      })
    return shownFields(t, {
      ticker: t.string({ description: 'Ticker of the listing.', resolve: ({ listing }) => listing.ticker }),
      period: t.field({
        type: FundamentalsPeriodType,
        description: 'Kind of the period.',
        resolve: ({ selection }) => selection.period,
      }),
      period_start_date: t.field({
        type: 'Date',
        nullable: true,
        description: 'First day of the period. Null if no amount of the period is known.',
        resolve: ({ figures }) => startOfFigures(figures),
      }),
      period_end_date: t.field({
        type: 'Date',
        description: 'Last day of the period.',
        resolve: ({ report }) => report.periodEnd,
      }),
      filing_type: t.string({
        description:
          'Type of the report for the period: 10-K, 20-F or 40-F for a year, also 10-Q, 6-K or 10-KT for a quarter; /A for an amendment.',
        resolve: ({ report }) => report.form,
      }),
      accession_number: t.string({
        description: 'Accession number of the latest report for the period.',
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
        description: `Average market capitalisation, USD: for each of the ${AVERAGE_MONTHS} months that end with the period, the last closing price times the shares outstanding at that time. Null if fewer than ${MIN_MONTHS} months have both.`,
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
      filings: t.field({
        type: [FigureFilingsType],
        description: 'One entry for each figure that is not null: its filings and, if it is computed, how.',
        resolve: ({ figures }) =>
          FIGURE_NAMES.map((name) => figures[name]).filter(({ value }) => value !== null),
      }),
      filed_date: t.field({
        type: 'Date',
        subGraphs: ['Graph'],
        description: 'Date on which the report was filed.',
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

/** The kind of periods, and the day by which a report must have been filed. */
export const selectionArguments = (arg: ArgBuilder) => ({
  period: arg({
    type: FundamentalsPeriodType,
    defaultValue: 'year',
    description: 'Kind of the period whose figures are returned.',
  }),
  ...reportDateArguments(
    arg,
    'Uses only filings up to this date, without later restatements. Not in the future.',
    'today (UTC)',
  ),
})

builder.objectFields(StockFundamentalsType, (t) => ({
  periods: t.field({
    type: [StockFundamentalsType],
    nullable: true,
    description:
      'Earlier periods of the same kind with a filed report, the newest first, as of the same date. Charged per 20 parents, and once more for each further 500 rows of a parent.',
    args: { limit: limitArgument(t.arg, 'Maximum number of periods.', PERIOD_LIMITS) },
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
      'The latest period with a filed report, by default the fiscal year. Null without one. Needs fundamentals:read; charged per 20 parents.',
    args: selectionArguments(t.arg),
    ...edge(
      'fundamentals:read',
      FUNDAMENTALS_READS,
      (listing: Listing, selection: PeriodSelection, context) =>
        getFundamentalsOfAsset(listing, selection, context),
      { check: checkSelection },
    ),
  }),
}))

function jsonNumber(value: Decimal | null): number | null {
  return value === null ? null : toJsonNumber(value)
}
