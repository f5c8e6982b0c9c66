import { TOTAL_DEBT } from './debt-rule-model.js'
import { dei, type FigureRule, gaap, ifrs, largest, oneOf, tagsOfRule, tagText } from './figure-rule-model.js'
import { REVENUE } from './revenue-rule-model.js'

/** Filers do not state EBITDA. It is operating income plus depreciation and amortisation. */
const EBITDA: FigureRule = {
  unit: 'USD',
  time: 'period',
  required: [['operating income'], ['depreciation']],
  sources: [
    { chain: ifrs('ProfitLossFromOperatingActivities'), parts: ['operating income'] },
    { chain: gaap('OperatingIncomeLoss'), parts: ['operating income'] },
    {
      chain: [
        // The largest, because the amount in the income statement lacks the depreciation in the cost of sales.
        largest(
          gaap(
            'DepreciationDepletionAndAmortization',
            'DepreciationAmortizationAndAccretionNet',
            'DepreciationAndAmortization',
          ),
        ),
        ...ifrs('DepreciationAndAmortisationExpense', 'AdjustmentsForDepreciationAndAmortisationExpense'),
      ],
      parts: ['depreciation'],
    },
  ],
  pieces: [
    {
      tags: [
        ...gaap('Depreciation', 'AmortizationOfIntangibleAssets', 'DepreciationAndAmortizationCostOfSales'),
        ...gaap('CostOfGoodsAndServicesSoldDepreciationAndAmortization', 'OtherDepreciationAndAmortization'),
        ...ifrs('DepreciationExpense', 'AmortisationExpense'),
      ],
      parts: ['depreciation'],
    },
  ],
}

/** Available for sale is one kind of securities. Others may be held to maturity or for trading. */
const AVAILABLE_FOR_SALE = gaap(
  'AvailableForSaleSecuritiesDebtSecuritiesCurrent',
  'AvailableForSaleSecuritiesCurrent',
)

const SHORT_TERM_INVESTMENTS: FigureRule = {
  ...oneOf('USD', 'end', [
    largest([
      ...gaap('ShortTermInvestments', 'MarketableSecuritiesCurrent', 'DebtSecuritiesCurrent'),
      ...AVAILABLE_FOR_SALE,
    ]),
    ...ifrs('ShorttermDepositsNotClassifiedAsCashEquivalents', 'CurrentInvestments'),
  ]),
  pieces: [
    {
      tags: [
        ...gaap('HeldToMaturitySecuritiesCurrent', 'TradingSecuritiesCurrent', 'OtherShortTermInvestments'),
        ...gaap('DebtSecuritiesHeldToMaturityAmortizedCostAfterAllowanceForCreditLossCurrent'),
      ],
      parts: ['all'],
    },
    {
      tags: [
        ...gaap(
          'AvailableForSaleSecuritiesDebtSecurities',
          'AvailableForSaleSecurities',
          'MarketableSecurities',
        ),
        ...gaap('CashCashEquivalentsAndShortTermInvestments'),
      ],
      parts: ['all'],
      isWider: true,
    },
  ],
  exclusive: {
    tags: AVAILABLE_FOR_SALE,
    beside: gaap(
      'HeldToMaturitySecuritiesCurrent',
      'DebtSecuritiesHeldToMaturityAmortizedCostAfterAllowanceForCreditLossCurrent',
      'TradingSecuritiesCurrent',
      'OtherShortTermInvestments',
    ),
  },
}

const NET_INCOME: FigureRule = {
  ...oneOf('USD', 'period', [
    ...gaap('NetIncomeLoss', 'ProfitLoss'),
    ...ifrs('ProfitLossAttributableToOwnersOfParent', 'ProfitLoss'),
  ]),
  // ProfitLoss includes minority owners, so it equals net income only without them.
  exclusive: {
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
  interest_income_usd: {
    ...oneOf('USD', 'period', [
      // The largest, because at a bank the first tags are a part of InterestAndDividendIncomeOperating.
      largest(gaap('InvestmentIncomeInterest', 'InterestAndDividendIncomeOperating', 'InterestIncomeOther')),
      ...gaap('InterestAndOtherIncome', 'InvestmentIncomeInterestAndDividend'),
      ...ifrs(
        'RevenueFromInterest',
        'InterestRevenueCalculatedUsingEffectiveInterestMethod',
        'FinanceIncome',
      ),
    ]),
    pieces: [
      {
        tags: [
          ...gaap(
            'InterestAndFeeIncomeLoansAndLeases',
            'InterestAndFeeIncomeLoansConsumer',
            'InterestIncomeOperating',
          ),
          ...gaap('InterestAndDividendIncomeSecurities', 'InterestIncomeDepositsWithFinancialInstitutions'),
          ...gaap('InterestIncomeSecuritiesTaxable', 'FinancingInterestIncome'),
        ],
        parts: ['all'],
      },
    ],
  },
  eps_basic: oneOf('USD/shares', 'period', [
    ...gaap('EarningsPerShareBasic', 'EarningsPerShareBasicAndDiluted'),
    ...ifrs('BasicEarningsLossPerShare'),
  ]),
  eps_diluted: oneOf('USD/shares', 'period', [
    ...gaap('EarningsPerShareDiluted', 'EarningsPerShareBasicAndDiluted'),
    ...ifrs('DilutedEarningsLossPerShare'),
  ]),
  total_debt_usd: TOTAL_DEBT,
  cash_and_equivalents_usd: {
    ...oneOf('USD', 'end', [
      ...gaap('CashAndCashEquivalentsAtCarryingValue'),
      ...ifrs('CashAndCashEquivalents'),
    ]),
    pieces: [{ tags: gaap('Cash', 'CashEquivalentsAtCarryingValue', 'CashAndDueFromBanks'), parts: ['all'] }],
  },
  short_term_investments_usd: SHORT_TERM_INVESTMENTS,
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
  FIGURE_NAMES.flatMap((name) => tagsOfRule(FIGURE_RULES[name]).map(tagText)),
)
