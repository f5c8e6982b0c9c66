import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { Cik } from '../../core/identifiers.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets({ filings: 'daily', prices: 'daily' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** A figure as one filing states it. */
export interface FiledFact {
  readonly cik: Cik
  /** E.g. us-gaap. */
  readonly taxonomy: string
  /** E.g. Revenues. */
  readonly tag: string
  /** As the filing writes it: see `isFactUnit`. */
  readonly unit: string
  /** First day of the period; null: a figure at one day. */
  readonly periodStart: IsoDate | null
  readonly periodEnd: IsoDate
  /** Accession number of the filing. */
  readonly accession: string
  /** Type of the filing, e.g. 10-K. */
  readonly form: string
  readonly filed: IsoDate
  readonly value: DecimalText
}

/** The units of the figures of an answer. */
export type FigureUnit = 'USD' | 'USD/shares' | 'shares'

/**
 * Whether a fact in that unit is kept: a currency (ISO 4217), one of it for each share, or shares. Amounts in other currencies
 * than USD make no figure; they are kept to say why there is none.
 */
export function isFactUnit(unit: string): boolean {
  return /^(?:shares|[A-Z]{3}(?:\/shares)?)$/.test(unit)
}

/** Annual reports, of which each has a fiscal year of its own. */
export const ANNUAL_FORMS: readonly string[] = ['10-K', '10-K/A', '20-F', '20-F/A', '40-F', '40-F/A']

/**
 * Foreign companies state ordinary shares on its cover: what trades in dollars may be a depositary receipt for several of
 * them, or for a part of one.
 */
export const FORMS_OF_ORDINARY_SHARES: readonly string[] = ['20-F', '20-F/A']

/** Reports with financial statements; proxy statements and prospectuses repeat figures, at times rounded. */
export const REPORT_FORMS: readonly string[] = [
  ...ANNUAL_FORMS,
  '10-KT',
  '10-KT/A',
  '10-Q',
  '10-Q/A',
  '6-K',
  '6-K/A',
  '8-K',
  '8-K/A',
]

/** A fiscal year has 52 or 53 weeks, or is a calendar year; both days included. */
export const ANNUAL_DAYS = { min: 350, max: 380 } as const

/** A closing price as traded. */
export interface DailyPrice {
  readonly instrumentId: number
  readonly date: IsoDate
  /** Above zero, of one share, not adjusted for later splits. */
  readonly close: DecimalText
  /** ISO 4217. */
  readonly currency: string
}

/** A listing that prices can be of. */
export interface PricedListing {
  readonly instrumentId: number
  /** Upper case. */
  readonly ticker: string
  /** Null: no market of its own. */
  readonly mic: string | null
}

/** Earlier annual periods of one answer. */
export const PERIOD_LIMITS = { min: 1, max: 20, default: 5 } as const

/** A tag of a taxonomy. */
export interface Tag {
  readonly taxonomy: 'us-gaap' | 'ifrs-full' | 'dei'
  readonly name: string
}

/** Tags of one thing: the first that is stated counts. */
export type TagChain = readonly Tag[]

/** Where a figure is on a filing: over the fiscal year, at its last day, or on the cover page. */
export type FigureTime = 'year' | 'end' | 'cover'

/** How a figure is read from what a filer states. */
export interface FigureRule {
  readonly unit: FigureUnit
  readonly time: FigureTime
  /**
   * Ways to make the figure, the best first. One counts as soon as its required chains are all stated; it is the sum of
   * them and of its optional ones, as far as these are stated.
   */
  readonly ways: readonly { readonly required: readonly TagChain[]; readonly optional: readonly TagChain[] }[]
}

const gaap = (...names: readonly string[]): TagChain => names.map((name) => ({ taxonomy: 'us-gaap', name }))
const ifrs = (...names: readonly string[]): TagChain => names.map((name) => ({ taxonomy: 'ifrs-full', name }))
const dei = (name: string): TagChain => [{ taxonomy: 'dei', name }]

const oneOf = (unit: FigureUnit, time: FigureTime, chain: TagChain): FigureRule => ({
  unit,
  time,
  ways: [{ required: [chain], optional: [] }],
})

/** Borrowings that fall due within a year, and leases that bear interest: added to any form of long-term debt. */
const BESIDE_LONG_TERM: readonly TagChain[] = [
  gaap('ShortTermBorrowings', 'CommercialPaper'),
  gaap('FinanceLeaseLiability', 'FinanceLeaseLiabilityNoncurrent'),
]

/**
 * Convertible debt and notes count only where long-term debt is not stated, which has them in it: so nothing is counted
 * twice.
 */
const TOTAL_DEBT: FigureRule = {
  unit: 'USD',
  time: 'end',
  ways: [
    { required: [gaap('LongTermDebt')], optional: BESIDE_LONG_TERM },
    {
      required: [gaap('LongTermDebtNoncurrent')],
      optional: [gaap('LongTermDebtCurrent'), ...BESIDE_LONG_TERM],
    },
    {
      required: [gaap('ConvertibleDebtNoncurrent', 'ConvertibleNotesPayableNoncurrent', 'NotesPayable')],
      optional: BESIDE_LONG_TERM,
    },
    { required: [gaap('LongTermDebtCurrent')], optional: BESIDE_LONG_TERM },
    { required: [gaap('DebtCurrent', 'ShortTermBorrowings', 'CommercialPaper')], optional: [] },
    { required: [ifrs('Borrowings')], optional: [] },
    {
      required: [
        ifrs('LongtermBorrowings'),
        ifrs('CurrentBorrowingsAndCurrentPortionOfNoncurrentBorrowings'),
      ],
      optional: [],
    },
    {
      required: [ifrs('LongtermBorrowings')],
      optional: [ifrs('CurrentPortionOfLongtermBorrowings'), ifrs('ShorttermBorrowings')],
    },
    {
      required: [ifrs('CurrentBorrowingsAndCurrentPortionOfNoncurrentBorrowings', 'ShorttermBorrowings')],
      optional: [],
    },
  ],
}

/** EBITDA is stated by nobody: operating income and what was written off. */
const EBITDA: FigureRule = {
  unit: 'USD',
  time: 'year',
  ways: [
    {
      required: [
        gaap('OperatingIncomeLoss'),
        gaap(
          'DepreciationDepletionAndAmortization',
          'DepreciationAmortizationAndAccretionNet',
          'DepreciationAndAmortization',
        ),
      ],
      optional: [],
    },
    {
      required: [
        ifrs('ProfitLossFromOperatingActivities'),
        ifrs('DepreciationAndAmortisationExpense', 'AdjustmentsForDepreciationAndAmortisationExpense'),
      ],
      optional: [],
    },
  ],
}

/** How each figure is read; the order is that of answers. */
export const FIGURE_RULES = {
  revenue_usd: oneOf('USD', 'year', [
    ...gaap('RevenueFromContractWithCustomerExcludingAssessedTax', 'Revenues', 'SalesRevenueNet'),
    ...ifrs('Revenue', 'RevenueFromContractsWithCustomers'),
  ]),
  net_income_usd: oneOf('USD', 'year', [
    ...gaap('NetIncomeLoss', 'ProfitLoss'),
    ...ifrs('ProfitLossAttributableToOwnersOfParent', 'ProfitLoss'),
  ]),
  ebitda_usd: EBITDA,
  interest_income_usd: oneOf('USD', 'year', [
    ...gaap(
      'InvestmentIncomeInterest',
      'InterestIncomeOther',
      'InterestAndOtherIncome',
      'InvestmentIncomeInterestAndDividend',
    ),
    ...ifrs('RevenueFromInterest', 'InterestRevenueCalculatedUsingEffectiveInterestMethod', 'FinanceIncome'),
  ]),
  eps_basic: oneOf('USD/shares', 'year', [
    ...gaap('EarningsPerShareBasic', 'EarningsPerShareBasicAndDiluted'),
    ...ifrs('BasicEarningsLossPerShare'),
  ]),
  eps_diluted: oneOf('USD/shares', 'year', [
    ...gaap('EarningsPerShareDiluted', 'EarningsPerShareBasicAndDiluted'),
    ...ifrs('DilutedEarningsLossPerShare'),
  ]),
  total_debt_usd: TOTAL_DEBT,
  cash_and_equivalents_usd: oneOf('USD', 'end', [
    ...gaap('CashAndCashEquivalentsAtCarryingValue'),
    ...ifrs('CashAndCashEquivalents'),
  ]),
  short_term_investments_usd: oneOf('USD', 'end', [
    ...gaap(
      'ShortTermInvestments',
      'MarketableSecuritiesCurrent',
      'DebtSecuritiesCurrent',
      'AvailableForSaleSecuritiesDebtSecuritiesCurrent',
      'AvailableForSaleSecuritiesCurrent',
    ),
    ...ifrs('ShorttermDepositsNotClassifiedAsCashEquivalents', 'CurrentInvestments'),
  ]),
  total_assets_usd: oneOf('USD', 'end', [...gaap('Assets'), ...ifrs('Assets')]),
  accounts_receivable_usd: oneOf('USD', 'end', [
    ...gaap('AccountsReceivableNetCurrent', 'ReceivablesNetCurrent'),
    ...ifrs('TradeAndOtherCurrentReceivables', 'CurrentTradeReceivables'),
  ]),
  shares_outstanding: oneOf('shares', 'cover', dei('EntityCommonStockSharesOutstanding')),
  public_float_usd: oneOf('USD', 'cover', dei('EntityPublicFloat')),
} as const satisfies Readonly<Record<string, FigureRule>>

export type FigureName = keyof typeof FIGURE_RULES

export const FIGURE_NAMES = Object.keys(FIGURE_RULES) as readonly FigureName[] // the keys of the table above

/** All tags that a figure can be read from, as `taxonomy:name`. */
export const READ_TAGS: ReadonlySet<string> = new Set(
  FIGURE_NAMES.flatMap((name) =>
    FIGURE_RULES[name].ways.flatMap(({ required, optional }) =>
      [...required, ...optional].flatMap((chain) => chain.map(tagText)),
    ),
  ),
)

/** E.g. us-gaap:Revenues. */
export function tagText({ taxonomy, name }: Tag): string {
  return `${taxonomy}:${name}`
}
