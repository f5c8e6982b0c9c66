import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { DecimalText } from '../../../src/core/decimal.js'
import { type IsoDate, parseIsoDate } from '../../../src/core/time.js'
import { computeAaoifiRatios } from '../../../src/domains/filings/aaoifi-model.js'
import type { FigureName } from '../../../src/domains/filings/figures/figure-rules-model.js'
import { computeFigures } from '../../../src/domains/filings/figures/figures-model.js'
import type { StatedFact } from '../../../src/domains/filings/model.js'
import { companyFactsFile } from '../../../src/ingest/providers/sec/company-facts.js'
import { casePath } from '../../support/samples.js'

const day = (text: string): IsoDate => parseIsoDate(text) ?? expect.fail(`${text} is no day`)
const END = day('2025-12-31')

type Amounts = Readonly<Record<string, number>>

function factsOf(stated: Amounts, periodStart: IsoDate | null): readonly StatedFact[] {
  return Object.entries(stated).map(([tag, value]) => ({
    ...{ taxonomy: 'us-gaap', tag, unit: 'USD', periodStart, periodEnd: END },
    ...{ accession: '0000000001-26-000001', form: '10-K', filed: day('2026-02-20') },
    value: String(value) as DecimalText, // a plain decimal
  }))
}

const debt = (stated: Amounts) => computeFigures(factsOf(stated, null), END).total_debt_usd
const revenue = (stated: Amounts) => computeFigures(factsOf(stated, day('2025-01-01')), END).revenue_usd

describe('total debt', () => {
  it.each<[string, number, Amounts]>([
    ['DebtCurrent', 42_368, { DebtCurrent: 10_139, LongTermDebtAndCapitalLeaseObligations: 32_229 }],
    [
      'LongTermDebtAndCapitalLeaseObligationsCurrent',
      18_873,
      { LongTermDebtNoncurrent: 18_165, LongTermDebtAndCapitalLeaseObligationsCurrent: 708 },
    ],
    ['notes', 105, { LongTermDebtNoncurrent: 100, NotesPayableCurrent: 5 }],
    ['convertible notes', 105, { LongTermDebtNoncurrent: 100, ConvertibleNotesPayableCurrent: 5 }],
    ['lines of credit', 105, { LongTermNotesPayable: 100, LinesOfCreditCurrent: 5 }],
    ['bank loans', 110, { LongTermDebt: 100, ShortTermBankLoansAndNotesPayable: 10 }],
    [
      'leases',
      113,
      {
        LongTermDebtNoncurrent: 100,
        DebtCurrent: 10,
        FinanceLeaseLiabilityNoncurrent: 3,
        FinanceLeaseLiabilityCurrent: 1,
      },
    ],
    ['all of it', 70, { DebtAndCapitalLeaseObligations: 70, LongTermDebt: 60, ShortTermBorrowings: 7 }],
  ])('adds what is due within a year, whatever the tag: %s', (_, total, stated) => {
    expect(debt(stated)).toMatchObject({ value: expect.anything(), reason: null })
    expect(debt(stated).value?.toNumber()).toBe(total)
  })

  it.each<[string, number, Amounts]>([
    [
      'DebtCurrent has maturities and borrowings',
      110,
      { LongTermDebtNoncurrent: 100, DebtCurrent: 10, LongTermDebtCurrent: 6, ShortTermBorrowings: 4 },
    ],
    [
      'a long-term total that is stated twice',
      110,
      { LongTermDebt: 100, LongTermDebtNoncurrent: 100, LongTermDebtCurrent: 10 },
    ],
    ['a piece of the total', 100, { LongTermDebt: 100, SeniorNotes: 80, ConvertibleDebtNoncurrent: 20 }],
    ['a piece under two tags', 57, { ConvertibleDebtNoncurrent: 57, ConvertibleLongTermNotesPayable: 57 }],
    [
      'notes and their two parts',
      50,
      { NotesPayable: 50, LongTermNotesPayable: 40, NotesPayableCurrent: 10 },
    ],
    ['a face value', 100, { LongTermDebt: 100, ConvertibleNotesPayable: 102 }],
    ['nothing', 100, { LongTermDebtNoncurrent: 100, DebtCurrent: 0, CommercialPaper: 0 }],
  ])('counts each part once: %s', (_, total, stated) => {
    expect(debt(stated).value?.toNumber()).toBe(total)
  })

  it.each<[string, string, Amounts]>([
    ['it is unknown what is short-term', 'DebtCurrent', { LongTermDebt: 100, DebtCurrent: 10 }],
    [
      'one piece may be in the other',
      'ConvertibleDebtNoncurrent',
      { SeniorLongTermNotes: 30, ConvertibleDebtNoncurrent: 20 },
    ],
    ['a piece exceeds the total', 'SecuredDebt', { LongTermDebt: 100, SecuredDebt: 300 }],
  ])('is null and names the part that no sum covers: %s', (_, tag, stated) => {
    const { value, reason, facts } = debt(stated)
    expect({ value, facts }).toEqual({ value: null, facts: [] })
    expect(reason).toContain(`leaves out what they state as us-gaap:${tag}, and no total`)
  })

  it('needs a borrowing, because leases alone do not show that a company has no other debt', () => {
    expect(debt({ FinanceLeaseLiability: 5 }).value).toBeNull()
  })
})

describe('revenue', () => {
  const CONTRACTS = 'RevenueFromContractWithCustomerExcludingAssessedTax'

  it.each<[string, number, Amounts]>([
    ['SalesRevenueNet', 83_062, { Revenues: 29_400, SalesRevenueNet: 83_062 }],
    [
      'all revenue of a utility',
      25_079,
      { RegulatedAndUnregulatedOperatingRevenue: 25_079, [CONTRACTS]: 24_200 },
    ],
    ['contracts with the leases in them', 3_116, { [CONTRACTS]: 3_116, OperatingLeaseLeaseIncome: 3_049 }],
    ['taxes apart', 100, { [CONTRACTS]: 100, RevenueFromContractWithCustomerIncludingAssessedTax: 108 }],
  ])('is the largest total: %s', (_, total, stated) => {
    expect(revenue(stated).value?.toNumber()).toBe(total)
  })

  it.each<[string, Amounts]>([
    ['OperatingLeaseLeaseIncome', { [CONTRACTS]: 120, OperatingLeaseLeaseIncome: 2_500 }],
    ['LeaseIncome', { [CONTRACTS]: 120, LeaseIncome: 2_500 }],
    ['RealEstateRevenueNet', { SalesRevenueNet: 120, RealEstateRevenueNet: 2_500 }],
    ['SalesRevenueGoodsNet', { Revenues: 29_400, SalesRevenueGoodsNet: 83_062 }],
    ['RegulatedOperatingRevenue', { [CONTRACTS]: 120, RegulatedOperatingRevenue: 2_500 }],
    ['RevenueNotFromContractWithCustomer', { [CONTRACTS]: 120, RevenueNotFromContractWithCustomer: 25 }],
  ])('is null if %s proves that the stated total is a slice', (tag, stated) => {
    const { value, reason } = revenue(stated)
    expect(value).toBeNull()
    expect(reason).toContain(`leaves out what they state as us-gaap:${tag}, and no total`)
  })

  it('is null if only one kind of it is stated', () => {
    expect(revenue({ OperatingLeaseLeaseIncome: 5 })).toMatchObject({
      value: null,
      reason:
        'the filings state us-gaap:OperatingLeaseLeaseIncome, which is only a part of the figure, and no total',
    })
  })
})

describe('the ratio of cash', () => {
  const capital = { average: null, period: '2024-01 to 2025-12', reason: 'there are no prices' }
  const cash = (stated: Amounts) => {
    const facts = factsOf({ CashAndCashEquivalentsAtCarryingValue: 100, ...stated }, null)
    const float = factsOf({ EntityPublicFloat: 1_000 }, null).map((fact) => ({ ...fact, taxonomy: 'dei' }))
    const figures = computeFigures([...facts, ...float], END)
    return computeAaoifiRatios({ figures, marketCap: capital, periodEnd: END })
  }

  it('is cash alone if the filings state no short-term investments', () => {
    expect(cash({}).cash_to_market_cap).toBe(0.1)
  })

  it.each<[string, Amounts]>([
    ['in a total with other investments', { AvailableForSaleSecuritiesDebtSecurities: 900 }],
    [
      'in two kinds',
      { AvailableForSaleSecuritiesDebtSecuritiesCurrent: 50, HeldToMaturitySecuritiesCurrent: 20 },
    ],
  ])('is null if short-term investments are stated %s', (_, stated) => {
    const { cash_to_market_cap, reasons } = cash(stated)
    expect(cash_to_market_cap).toBeNull()
    expect(reasons?.find(({ ratio }) => ratio === 'cash_to_market_cap')?.reason).toContain('and no total')
  })
})

/** Recorded and shortened bodies with the right value of one figure; null if it must be missing. */
const CASES: readonly (readonly [file: string, figure: FigureName, value: number | null])[] = [
  ['sec-debt-current/xom.json', 'total_debt_usd', 42_368e6],
  ['sec-debt-current/csx.json', 'total_debt_usd', 18_873e6],
  ['sec-debt-current/hlt.json', 'total_debt_usd', 12_363e6],
  ['sec-debt-current/wso.json', 'total_debt_usd', 478_788e3],
  ['sec-sales-total/input.json', 'revenue_usd', 83_062e6],
  ['sec-revenue-untagged-total/lessor.json', 'revenue_usd', null],
  ['sec-revenue-untagged-total/utility.json', 'revenue_usd', 25_079e6],
  ['sec-revenue-slice/input.json', 'revenue_usd', 77_084e6],
  ['sec-bank-net-revenue/input.json', 'revenue_usd', 3_610e6],
]

describe('reported faults of figures', () => {
  for (const [file, figure, value] of CASES)
    it.skipIf(casePath(file) === null)(`of ${file} are mended (skips without the file)`, async () => {
      const body = (async function* () {
        yield await readFile(casePath(file) ?? expect.fail('there is no such file'))
      })()
      const context = { now: new Date('2026-11-20T12:00:00Z'), onRead: () => {}, onAbsent: () => {} }
      const facts: StatedFact[] = []
      for await (const item of companyFactsFile.parseStream(body, context))
        if (item.kind === 'row') facts.push(item.row)
      const [{ periodEnd } = { periodEnd: END }] = facts
      const figures = computeFigures(facts, periodEnd)
      expect(figures[figure].value?.toNumber() ?? null).toBe(value)
      if (value === null) expect(figures[figure].reason).toContain('and no total')
    })
})
