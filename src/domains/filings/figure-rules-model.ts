/** The units of figures. */
export type FigureUnit = 'USD' | 'USD/shares' | 'shares'

/** A tag of a taxonomy. */
export interface Tag {
  readonly taxonomy: 'us-gaap' | 'ifrs-full' | 'dei'
  readonly name: string
}

/** Tags of which one may be the total and the others parts of it. The largest stated value is used. */
export interface TagGroup {
  readonly largestOf: readonly Tag[]
}

/** Alternative tags of one quantity. The first stated tag or group is used. */
export type TagChain = readonly (Tag | TagGroup)[]

/** The tags of a chain, including those of its groups. */
export function tagsOf(chain: TagChain): readonly Tag[] {
  return chain.flatMap((link) => ('largestOf' in link ? link.largestOf : link))
}

/** Where a filing states a figure: for the fiscal year, at its last day, or on the cover page. */
export type FigureTime = 'year' | 'end' | 'cover'

/** How a figure is computed from the facts of a filer. */
export interface FigureRule {
  readonly unit: FigureUnit
  readonly time: FigureTime
  /**
   * Ways to compute the figure, the best first. The first way whose required chains are all stated is used: the figure is the
   * sum of them and of the stated optional chains.
   */
  readonly ways: readonly { readonly required: readonly TagChain[]; readonly optional: readonly TagChain[] }[]
  /**
   * Tags that are the total at some companies and a part at others. If a company also states one of `beside` with a value
   * other than zero, such a tag is only a part and is not used.
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

/** Borrowings due within a year. If both are stated, commercial paper is a part of short-term borrowings. */
const SHORT_TERM: TagChain = [largest(gaap('ShortTermBorrowings', 'CommercialPaper'))]

const FINANCE_LEASES: TagChain = gaap('FinanceLeaseLiability', 'FinanceLeaseLiabilityNoncurrent')

/** Added to any form of long-term debt: short-term borrowings and finance leases, which bear interest. */
const BESIDE_LONG_TERM: readonly TagChain[] = [SHORT_TERM, FINANCE_LEASES]

/**
 * Convertible debt and notes count only if long-term debt is not stated. Long-term debt includes them, so they would count
 * twice.
 */
const TOTAL_DEBT: FigureRule = {
  unit: 'USD',
  time: 'end',
  ways: [
    // Includes finance leases.
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

/** Filers do not state EBITDA. It is operating income plus depreciation and amortisation. */
const EBITDA: FigureRule = {
  unit: 'USD',
  time: 'year',
  ways: [
    {
      required: [
        gaap('OperatingIncomeLoss'),
        // The largest, because the amount in the income statement lacks the depreciation in the cost of sales.
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

/** Revenue of contracts with customers (ASC 606): all revenue at most companies, a part at banks, insurers and lessors. */
const OF_CONTRACTS = gaap(
  'RevenueFromContractWithCustomerExcludingAssessedTax',
  'RevenueFromContractWithCustomerIncludingAssessedTax',
)

/** Revenue of banks and insurers that does not come from contracts with customers. */
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
  // ProfitLoss includes minority owners, so it equals net income only without them.
  parts: {
    tags: [...gaap('ProfitLoss'), ...ifrs('ProfitLoss')],
    beside: [
      ...gaap('NetIncomeLossAttributableToNoncontrollingInterest'),
      ...ifrs('ProfitLossAttributableToNoncontrollingInterests'),
    ],
  },
}

/** The rule of each figure, in the order of responses. */
export const FIGURE_RULES = {
  revenue_usd: REVENUE,
  net_income_usd: NET_INCOME,
  ebitda_usd: EBITDA,
  interest_income_usd: oneOf('USD', 'year', [
    // The largest, because at a bank the first tags are a part of InterestAndDividendIncomeOperating.
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

export const FIGURE_NAMES = Object.keys(FIGURE_RULES) as readonly FigureName[] // safe: the keys of the table above

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
