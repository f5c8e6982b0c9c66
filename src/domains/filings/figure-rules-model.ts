/** The units of the figures of an answer. */
export type FigureUnit = 'USD' | 'USD/shares' | 'shares'

/** A tag of a taxonomy. */
export interface Tag {
  readonly taxonomy: 'us-gaap' | 'ifrs-full' | 'dei'
  readonly name: string
}

/** Tags of which one may be the total and others parts of it: the largest that is stated counts. */
export interface TagGroup {
  readonly largestOf: readonly Tag[]
}

/** Tags of one thing: the first tag or group that is stated counts. */
export type TagChain = readonly (Tag | TagGroup)[]

/** The tags of a chain, those of its groups too. */
export function tagsOf(chain: TagChain): readonly Tag[] {
  return chain.flatMap((link) => ('largestOf' in link ? link.largestOf : link))
}

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
  /**
   * Tags that are the whole at some companies and a part at others. Where a company also states one of `beside`, in another
   * value than zero, such a tag is no figure.
   */
  readonly parts?: { readonly tags: readonly Tag[]; readonly beside: readonly Tag[] }
}

const gaap = (...names: readonly string[]): readonly Tag[] =>
  names.map((name) => ({ taxonomy: 'us-gaap', name }))
const ifrs = (...names: readonly string[]): readonly Tag[] =>
  names.map((name) => ({ taxonomy: 'ifrs-full', name }))
const dei = (name: string): TagChain => [{ taxonomy: 'dei', name }]
const largest = (largestOf: readonly Tag[]): TagGroup => ({ largestOf })

const oneOf = (unit: FigureUnit, time: FigureTime, chain: TagChain): FigureRule => ({
  unit,
  time,
  ways: [{ required: [chain], optional: [] }],
})

/** Borrowings that fall due within a year; commercial paper is a part of them where both are stated. */
const SHORT_TERM: TagChain = [largest(gaap('ShortTermBorrowings', 'CommercialPaper'))]

const FINANCE_LEASES: TagChain = gaap('FinanceLeaseLiability', 'FinanceLeaseLiabilityNoncurrent')

/** What is added to any form of long-term debt: short-term borrowings, and leases that bear interest. */
const BESIDE_LONG_TERM: readonly TagChain[] = [SHORT_TERM, FINANCE_LEASES]

/**
 * Convertible debt and notes count only where long-term debt is not stated, which has them in it: so nothing is counted
 * twice.
 */
const TOTAL_DEBT: FigureRule = {
  unit: 'USD',
  time: 'end',
  ways: [
    // With finance leases in it.
    {
      required: [gaap('LongTermDebtAndCapitalLeaseObligationsIncludingCurrentMaturities')],
      optional: [SHORT_TERM],
    },
    {
      required: [gaap('DebtLongtermAndShorttermCombinedAmount')],
      optional: [FINANCE_LEASES],
    },
    { required: [gaap('LongTermDebt')], optional: BESIDE_LONG_TERM },
    {
      required: [gaap('LongTermDebtNoncurrent')],
      optional: [gaap('LongTermDebtCurrent'), ...BESIDE_LONG_TERM],
    },
    {
      required: [gaap('ConvertibleDebtNoncurrent', 'ConvertibleNotesPayableNoncurrent', 'NotesPayable')],
      optional: BESIDE_LONG_TERM,
    },
    {
      required: [gaap('LongTermDebtAndCapitalLeaseObligations')],
      optional: [gaap('LongTermDebtAndCapitalLeaseObligationsCurrent'), SHORT_TERM],
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
        // That of the income statement lacks what is in the cost of sales.
        [
          largest(
            gaap(
              'DepreciationDepletionAndAmortization',
              'DepreciationAmortizationAndAccretionNet',
              'DepreciationAndAmortization',
            ),
          ),
        ],
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

/** Revenue of contracts (ASC 606): all of it at most companies, a slice at banks, insurers and lessors. */
const OF_CONTRACTS = gaap(
  'RevenueFromContractWithCustomerExcludingAssessedTax',
  'RevenueFromContractWithCustomerIncludingAssessedTax',
)

/** Revenue that is no contract with a customer, as banks and insurers state it. */
const OUTSIDE_CONTRACTS = gaap('InterestAndDividendIncomeOperating', 'NoninterestIncome', 'PremiumsEarnedNet')

const REVENUE: FigureRule = {
  ...oneOf('USD', 'year', [
    largest([...gaap('Revenues', 'RevenuesNetOfInterestExpense'), ...OF_CONTRACTS.slice(0, 1)]),
    ...OF_CONTRACTS.slice(1),
    ...gaap('SalesRevenueNet'),
    largest(ifrs('Revenue', 'RevenueFromContractsWithCustomers')),
  ]),
  parts: {
    tags: [...OF_CONTRACTS, ...ifrs('RevenueFromContractsWithCustomers')],
    beside: [...OUTSIDE_CONTRACTS, ...ifrs('RevenueFromInterest', 'InsuranceRevenue')],
  },
}

const NET_INCOME: FigureRule = {
  ...oneOf('USD', 'year', [
    ...gaap('NetIncomeLoss', 'ProfitLoss'),
    ...ifrs('ProfitLossAttributableToOwnersOfParent', 'ProfitLoss'),
  ]),
  // A profit of all owners is that of the company's own only where there are no others.
  parts: {
    tags: [...gaap('ProfitLoss'), ...ifrs('ProfitLoss')],
    beside: [
      ...gaap('NetIncomeLossAttributableToNoncontrollingInterest'),
      ...ifrs('ProfitLossAttributableToNoncontrollingInterests'),
    ],
  },
}

/** How each figure is read; the order is that of answers. */
export const FIGURE_RULES = {
  revenue_usd: REVENUE,
  net_income_usd: NET_INCOME,
  ebitda_usd: EBITDA,
  interest_income_usd: oneOf('USD', 'year', [
    // Of a bank it is the total, and interest of other kinds a slice.
    largest(gaap('InvestmentIncomeInterest', 'InterestAndDividendIncomeOperating', 'InterestIncomeOther')),
    ...gaap('InterestAndOtherIncome', 'InvestmentIncomeInterestAndDividend'),
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
    largest(
      gaap(
        'ShortTermInvestments',
        'MarketableSecuritiesCurrent',
        'DebtSecuritiesCurrent',
        'AvailableForSaleSecuritiesDebtSecuritiesCurrent',
        'AvailableForSaleSecuritiesCurrent',
      ),
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
  FIGURE_NAMES.flatMap((name) => {
    const { ways, parts }: FigureRule = FIGURE_RULES[name]
    const chains = ways.flatMap(({ required, optional }) => [...required, ...optional])
    return [...chains.flatMap(tagsOf), ...(parts?.beside ?? [])].map(tagText)
  }),
)

/** E.g. us-gaap:Revenues. */
export function tagText({ taxonomy, name }: Tag): string {
  return `${taxonomy}:${name}`
}
