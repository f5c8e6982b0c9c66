import { describe, expect, it } from 'vitest'
import { Decimal, type DecimalText } from '../../../src/core/decimal.js'
import { addDays, type IsoDate, parseIsoDate } from '../../../src/core/time.js'
import { computeAaoifiRatios } from '../../../src/domains/filings/aaoifi-model.js'
import type { FigureName } from '../../../src/domains/filings/figures/figure-rules-model.js'
import { computeFigures } from '../../../src/domains/filings/figures/figures-model.js'
import {
  averageMarketCap,
  listAveragedMonths,
  type MarketCap,
} from '../../../src/domains/filings/market-cap-model.js'
import type { StatedFact } from '../../../src/domains/filings/model.js'

const day = (text: string): IsoDate => {
  const date = parseIsoDate(text)
  if (date === null) throw new Error(`${text} is no day`)
  return date
}
const END = day('2025-12-31')

function fact(tag: string, value: number | string, more: Partial<StatedFact> = {}): StatedFact {
  const isOfYear = /Revenue|Interest|Income|Depreciation|Earnings/.test(tag)
  return {
    taxonomy: tag.startsWith('Entity') ? 'dei' : 'us-gaap',
    tag,
    unit: 'USD',
    periodStart: isOfYear ? day('2025-01-01') : null,
    periodEnd: END,
    accession: '0000000001-26-000001',
    form: '10-K',
    filed: day('2026-02-20'),
    value: String(value) as DecimalText, // a plain decimal
    ...more,
  }
}

const capOf = (average: number | null): MarketCap => ({
  average: average === null ? null : new Decimal(average),
  period: '2024-01 to 2025-12',
  reason: average === null ? 'there are no prices' : null,
})
const ratiosOf = (average: number | null, ...facts: StatedFact[]) =>
  computeAaoifiRatios({ figures: computeFigures(facts, END), marketCap: capOf(average), periodEnd: END })
const figureValue = (name: 'total_debt_usd' | 'revenue_usd' | 'ebitda_usd', ...facts: StatedFact[]) =>
  computeFigures(facts, END)[name].value?.toNumber() ?? null

describe('figures of a fiscal year', () => {
  it('are read from the first stated tag of the chain, in its unit and for its time', () => {
    expect(figureValue('revenue_usd', fact('Revenues', 130), fact('SalesRevenueNet', 120))).toBe(130)
    expect(figureValue('revenue_usd', fact('SalesRevenueNet', 70))).toBe(70)
    expect(figureValue('revenue_usd', fact('Revenues', 100, { unit: 'USD/shares' }))).toBeNull()
    expect(figureValue('revenue_usd', fact('Revenues', 100, { periodStart: null }))).toBeNull()
  })

  const CONTRACTS = 'RevenueFromContractWithCustomerExcludingAssessedTax'

  it.each<[string, number | null, readonly [tag: string, value: number][]]>([
    [
      'an insurer with contracts beside premiums',
      77_084,
      [
        [CONTRACTS, 2_436],
        ['Revenues', 77_084],
        ['PremiumsEarnedNet', 44_283],
      ],
    ],
    [
      'a bank with contracts beside its net revenue',
      3_610,
      [
        [CONTRACTS, 620],
        ['RevenuesNetOfInterestExpense', 3_610],
      ],
    ],
    [
      'a broker with gross and net revenue',
      103_140,
      [
        ['Revenues', 103_140],
        ['RevenuesNetOfInterestExpense', 61_761],
        [CONTRACTS, 9_000],
      ],
    ],
    ['a company whose contracts are all of it', 416_161, [[CONTRACTS, 416_161]]],
    [
      'a company that states a segment as Revenues',
      500,
      [
        ['Revenues', 90],
        [CONTRACTS, 500],
      ],
    ],
    [
      'a bank that states no total',
      null,
      [
        [CONTRACTS, 620],
        ['InterestAndDividendIncomeOperating', 2_900],
        ['NoninterestIncome', 900],
      ],
    ],
    [
      'an insurer that states no total',
      null,
      [
        [CONTRACTS, 2_436],
        ['PremiumsEarnedNet', 44_283],
      ],
    ],
    [
      'a company without any premiums',
      500,
      [
        [CONTRACTS, 500],
        ['PremiumsEarnedNet', 0],
      ],
    ],
  ])('use the whole revenue, never a part of it: %s', (_, value, stated) => {
    const facts = stated.map(([tag, amount]) => fact(tag, amount, { periodStart: day('2025-01-01') }))
    expect(figureValue('revenue_usd', ...facts)).toBe(value)
    const { reason } = computeFigures(facts, END).revenue_usd
    if (value === null)
      expect(reason).toMatch(new RegExp(`^the filings state us-gaap:${CONTRACTS}, which leaves out`))
    else expect(reason).toBeNull()
  })

  it('use the profit of all owners for that of the own ones only if no others exist', () => {
    const profit = fact('ProfitLoss', 120, { periodStart: day('2025-01-01') })
    const others = (value: number) =>
      fact('NetIncomeLossAttributableToNoncontrollingInterest', value, { periodStart: day('2025-01-01') })
    const netIncome = (...facts: StatedFact[]) =>
      computeFigures(facts, END).net_income_usd.value?.toNumber() ?? null
    expect(netIncome(profit)).toBe(120)
    expect(netIncome(profit, others(0))).toBe(120)
    expect(netIncome(profit, others(10))).toBeNull()
    expect(netIncome(profit, others(10), fact('NetIncomeLoss', 110))).toBe(110)
  })

  it('use the largest value if one tag is a part of another: interest of a bank, investments, write-offs', () => {
    const value = (name: FigureName, ...facts: StatedFact[]) =>
      computeFigures(facts, END)[name].value?.toNumber()
    expect(
      value(
        'interest_income_usd',
        fact('InterestIncomeOther', 3),
        fact('InterestAndDividendIncomeOperating', 90),
      ),
    ).toBe(90)
    expect(value('interest_income_usd', fact('InvestmentIncomeInterest', 7))).toBe(7)
    expect(
      value(
        'short_term_investments_usd',
        fact('ShortTermInvestments', 5),
        fact('MarketableSecuritiesCurrent', 50),
      ),
    ).toBe(50)
    expect(value('short_term_investments_usd', fact('ShortTermInvestments', 5))).toBe(5)
    const income = fact('OperatingIncomeLoss', 30)
    const inSales = fact('DepreciationAndAmortization', 2)
    expect(value('ebitda_usd', income, inSales, fact('DepreciationDepletionAndAmortization', 4))).toBe(34)
    expect(value('ebitda_usd', income, inSales)).toBe(32)
  })

  it('count debt once: the total, else its parts, with short-term borrowings and leases', () => {
    const parts = [fact('LongTermDebtNoncurrent', 50), fact('LongTermDebtCurrent', 5)]
    expect(figureValue('total_debt_usd', fact('LongTermDebt', 55), ...parts)).toBe(55)
    expect(figureValue('total_debt_usd', ...parts)).toBe(55)
    expect(
      figureValue('total_debt_usd', ...parts, fact('CommercialPaper', 7), fact('FinanceLeaseLiability', 2)),
    ).toBe(64)
    expect(
      figureValue('total_debt_usd', ...parts, fact('CommercialPaper', 7), fact('ShortTermBorrowings', 9)),
    ).toBe(64)
    expect(figureValue('total_debt_usd', ...parts, fact('ConvertibleDebtNoncurrent', 20))).toBe(55)
    expect(
      figureValue('total_debt_usd', fact('ConvertibleDebtNoncurrent', 20), fact('CommercialPaper', 7)),
    ).toBe(27)
    expect(figureValue('total_debt_usd', fact('DebtCurrent', 3))).toBe(3)
    const withLeases = fact('LongTermDebtAndCapitalLeaseObligationsIncludingCurrentMaturities', 60)
    expect(figureValue('total_debt_usd', withLeases, ...parts, fact('FinanceLeaseLiability', 2))).toBe(60)
    const all = fact('DebtLongtermAndShorttermCombinedAmount', 70)
    expect(figureValue('total_debt_usd', all, ...parts, fact('CommercialPaper', 7))).toBe(70)
  })

  it('need all parts of their sum', () => {
    expect(
      figureValue(
        'ebitda_usd',
        fact('OperatingIncomeLoss', 30),
        fact('DepreciationDepletionAndAmortization', 4),
      ),
    ).toBe(34)
    const { ebitda_usd } = computeFigures([fact('OperatingIncomeLoss', 30)], END)
    expect(ebitda_usd).toMatchObject({ value: null, facts: [] })
    expect(ebitda_usd.reason).toMatch(
      /OperatingIncomeLoss together with us-gaap:Depreciation.* to 2025-12-31$/,
    )
  })

  it('of the cover page are above zero', () => {
    expect(computeFigures([fact('EntityPublicFloat', 0)], END).public_float_usd).toMatchObject({
      value: null,
      reason: 'the cover page states 0 as dei:EntityPublicFloat',
    })
  })
})

describe('AAOIFI ratios', () => {
  const ALL = [
    fact('LongTermDebt', 250),
    fact('CashAndCashEquivalentsAtCarryingValue', 100),
    fact('MarketableSecuritiesCurrent', 50),
    fact('InvestmentIncomeInterest', 9),
    fact('Revenues', 300),
  ]

  it('are debt and cash to the average market capitalisation, and interest income to revenue', () => {
    const ratios = ratiosOf(1_000, ...ALL)
    expect(ratios).toMatchObject({
      debt_to_market_cap: 0.25,
      cash_to_market_cap: 0.15,
      interest_income_to_revenue: 0.03,
      below_thresholds: true,
      reasons: [],
    })
    expect(ratios.inputs.map(({ ratio, figure, value, tag }) => [ratio, figure, value, tag])).toEqual([
      ['debt_to_market_cap', 'total_debt_usd', 250, 'us-gaap:LongTermDebt'],
      ['debt_to_market_cap', 'market_cap_avg_24m_usd', 1_000, null],
      [
        'cash_to_market_cap',
        'cash_and_equivalents_usd',
        100,
        'us-gaap:CashAndCashEquivalentsAtCarryingValue',
      ],
      ['cash_to_market_cap', 'short_term_investments_usd', 50, 'us-gaap:MarketableSecuritiesCurrent'],
      ['cash_to_market_cap', 'market_cap_avg_24m_usd', 1_000, null],
      ['interest_income_to_revenue', 'interest_income_usd', 9, 'us-gaap:InvestmentIncomeInterest'],
      ['interest_income_to_revenue', 'revenue_usd', 300, 'us-gaap:Revenues'],
    ])
  })

  it.each([
    [[757.6, 249.9, 9], true],
    [[1_000, 330, 9], false], // equal to the bound is not below it
    [[1_000, 250, 15], false],
  ])('of %j are below their bounds: %s', ([capital = 0, debt = 0, interest = 0], isBelow) => {
    const facts = [
      fact('LongTermDebt', debt),
      fact('InvestmentIncomeInterest', interest),
      ...ALL.slice(1, 3),
      ALL[4],
    ]
    expect(ratiosOf(capital, ...facts.flatMap((one) => one ?? [])).below_thresholds).toBe(isBelow)
  })

  it('use the public float, and name it, without an average', () => {
    const ratios = ratiosOf(null, ...ALL, fact('EntityPublicFloat', 500))
    expect(ratios.debt_to_market_cap).toBe(0.5)
    expect(ratios.inputs[1]).toMatchObject({
      figure: 'public_float_usd',
      tag: 'dei:EntityPublicFloat',
      value: 500,
    })
  })

  it('are null with the reason if an input is missing, and then have no result for the bounds', () => {
    const ratios = ratiosOf(null, ...ALL.slice(0, 3), fact('Revenues', 0))
    expect(ratios).toMatchObject({
      debt_to_market_cap: null,
      cash_to_market_cap: null,
      interest_income_to_revenue: null,
      below_thresholds: null,
    })
    expect(ratios.reasons?.map(({ ratio, reason }) => `${ratio}: ${reason}`)).toEqual([
      expect.stringMatching(
        /^debt_to_market_cap: no market capitalisation for 2025-12-31: there are no prices; and the filings do not state dei:EntityPublicFloat/,
      ),
      expect.stringMatching(/^cash_to_market_cap: no market capitalisation/),
      expect.stringMatching(
        /^interest_income_to_revenue: the filings do not state us-gaap:InvestmentIncomeInterest or /,
      ),
      'interest_income_to_revenue: revenue_usd is not above zero',
    ])
  })
})

describe('the average market capitalisation', () => {
  const closes = listAveragedMonths(END).map((month, at) => ({
    date: day(`${month}-15`),
    close: String(10 + at) as DecimalText, // a plain decimal
    currency: 'USD',
  }))
  const count = (text: string, shares: number) => ({
    date: day(text),
    count: String(shares) as DecimalText, // a plain decimal
  })
  const average = (given: typeof closes, ...shareCounts: ReturnType<typeof count>[]) =>
    averageMarketCap(END, { closes: given, shareCounts })

  it('is the mean of 24 closing prices times the shares outstanding then', () => {
    expect(average(closes, count('2023-12-31', 100), count('2025-01-10', 100)).average?.toNumber()).toBe(
      2_150,
    )
    // 12 months with 100 shares at 15.5 on average, 12 with 120 at 27.5.
    expect(average(closes, count('2023-12-31', 100), count('2025-01-01', 120)).average?.toNumber()).toBe(
      2_425,
    )
  })

  it('tolerates one missing month, not two, and counts prices in USD only', () => {
    const shares = [count('2023-12-31', 100), count('2024-12-31', 100)]
    expect(average(closes.slice(1), ...shares).average?.toNumber()).toBe(2_200)
    expect(average(closes.slice(2), ...shares)).toEqual({
      average: null,
      period: '2024-01 to 2025-12',
      reason:
        'of the 24 months 2024-01 to 2025-12 22 have a price, 22 one in USD, 22 a share count with it; 23 are needed',
    })
    const euros = closes.map((close) => ({ ...close, currency: 'EUR' }))
    expect(average(euros, ...shares).reason).toMatch(/24 have a price, 0 one in USD/)
  })

  it('does not guess the shares: none before the price, too old, or split in between', () => {
    expect(average(closes, count('2025-01-01', 100)).reason).toMatch(/12 a share count with it/)
    expect(average(closes, count('2023-12-31', 100)).average).toBeNull()
    const split = [count('2023-12-31', 100), count('2024-05-31', 100), count('2024-08-20', 1_000)]
    expect(average(closes, ...split, count('2025-06-30', 1_000)).reason).toMatch(/21 a share count with it/)
    expect(averageMarketCap(END, null).reason).toBe('there are no prices')
  })

  it('covers the 24 months that end with that of the day', () => {
    expect(listAveragedMonths(addDays(END, 25)).slice(0, 2)).toEqual(['2024-02', '2024-03'])
    expect(listAveragedMonths(END)).toHaveLength(24)
  })
})
