import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { DecimalText } from '../../../src/core/decimal.js'
import { type IsoDate, parseIsoDate } from '../../../src/core/time.js'
import { FIGURE_NAMES, type FigureName } from '../../../src/domains/filings/figures/figure-rules-model.js'
import { computeFigures } from '../../../src/domains/filings/figures/figures-model.js'
import { ANNUAL_DAYS, type StatedFact } from '../../../src/domains/filings/model.js'
import { companyFactsFile } from '../../../src/ingest/providers/sec/company-facts.js'
import { samplePath } from '../../support/samples.js'

const day = (text: string): IsoDate => parseIsoDate(text) ?? expect.fail(`${text} is no day`)

/** The value that a company states, and the tags that it is read from. */
type Expected = readonly [value: number, ...tags: readonly string[]]

interface Company {
  /** Of its annual report. */
  readonly accession: string
  readonly periodEnd: IsoDate
  /** What EDGAR has of it: a recorded body, or the facts of this one report. */
  readonly facts: { readonly sample: string } | { readonly stated: readonly StatedFact[] }
  readonly figures: Partial<Readonly<Record<FigureName, Expected>>>
}

const APPLE = { accession: '0000320193-24-000123', periodEnd: day('2024-09-28') }

function statedByApple(tag: string, value: string, more: Partial<StatedFact> = {}): StatedFact {
  return {
    taxonomy: 'us-gaap',
    tag,
    unit: 'USD',
    periodStart: null,
    ...APPLE,
    form: '10-K',
    filed: day('2024-11-01'),
    value: value as DecimalText, // a plain decimal
    ...more,
  }
}
const OF_YEAR = { periodStart: day('2023-10-01') }

const COMPANIES: Readonly<Record<string, Company>> = {
  NVIDIA: {
    accession: '0001045810-26-000021',
    periodEnd: day('2026-01-25'),
    facts: { sample: 'sec/companyfacts_CIK0001045810_nvidia.json' },
    figures: {
      revenue_usd: [215_938e6, 'us-gaap:Revenues'],
      net_income_usd: [120_067e6, 'us-gaap:NetIncomeLoss'],
      ebitda_usd: [133_230e6, 'us-gaap:OperatingIncomeLoss', 'us-gaap:DepreciationDepletionAndAmortization'],
      interest_income_usd: [2_300e6, 'us-gaap:InvestmentIncomeInterest'],
      eps_basic: [4.93, 'us-gaap:EarningsPerShareBasic'],
      eps_diluted: [4.9, 'us-gaap:EarningsPerShareDiluted'],
      total_debt_usd: [8_468e6, 'us-gaap:LongTermDebtNoncurrent', 'us-gaap:DebtCurrent'],
      cash_and_equivalents_usd: [10_605e6, 'us-gaap:CashAndCashEquivalentsAtCarryingValue'],
      total_assets_usd: [206_803e6, 'us-gaap:Assets'],
      accounts_receivable_usd: [38_466e6, 'us-gaap:AccountsReceivableNetCurrent'],
      shares_outstanding: [24_300e6, 'dei:EntityCommonStockSharesOutstanding'],
      public_float_usd: [4_000e9, 'dei:EntityPublicFloat'],
    },
  },
  Alphabet: {
    accession: '0001652044-26-000018',
    periodEnd: day('2025-12-31'),
    facts: { sample: 'sec/companyfacts_CIK0001652044_alphabet_trimmed.json' },
    figures: {
      revenue_usd: [402_836e6, 'us-gaap:Revenues'],
      net_income_usd: [132_170e6, 'us-gaap:NetIncomeLoss'],
      interest_income_usd: [4_337e6, 'us-gaap:InterestIncomeOther'],
      eps_diluted: [10.81, 'us-gaap:EarningsPerShareDiluted'],
      total_debt_usd: [49_085e6, 'us-gaap:LongTermDebt', 'us-gaap:CommercialPaper'],
      cash_and_equivalents_usd: [30_708e6, 'us-gaap:CashAndCashEquivalentsAtCarryingValue'],
      short_term_investments_usd: [96_135e6, 'us-gaap:MarketableSecuritiesCurrent'],
      total_assets_usd: [595_281e6, 'us-gaap:Assets'],
      accounts_receivable_usd: [62_886e6, 'us-gaap:AccountsReceivableNetCurrent'],
      public_float_usd: [1_900e9, 'dei:EntityPublicFloat'],
    },
  },
  Apple: {
    ...APPLE,
    facts: {
      stated: [
        statedByApple('RevenueFromContractWithCustomerExcludingAssessedTax', '391035000000', OF_YEAR),
        statedByApple('NetIncomeLoss', '93736000000', OF_YEAR),
        statedByApple('OperatingIncomeLoss', '123216000000', OF_YEAR),
        statedByApple('DepreciationDepletionAndAmortization', '11445000000', OF_YEAR),
        statedByApple('EarningsPerShareBasic', '6.11', { ...OF_YEAR, unit: 'USD/shares' }),
        statedByApple('EarningsPerShareDiluted', '6.08', { ...OF_YEAR, unit: 'USD/shares' }),
        statedByApple('LongTermDebtNoncurrent', '85750000000'),
        statedByApple('LongTermDebtCurrent', '10912000000'),
        statedByApple('CommercialPaper', '9967000000'),
        statedByApple('CashAndCashEquivalentsAtCarryingValue', '29943000000'),
        statedByApple('MarketableSecuritiesCurrent', '35228000000'),
        statedByApple('Assets', '364980000000'),
        statedByApple('AccountsReceivableNetCurrent', '33410000000'),
        statedByApple('EntityCommonStockSharesOutstanding', '15115823000', {
          taxonomy: 'dei',
          unit: 'shares',
          periodEnd: day('2024-10-18'),
        }),
        statedByApple('EntityPublicFloat', '2628553000000', {
          taxonomy: 'dei',
          periodEnd: day('2024-03-29'),
        }),
      ],
    },
    figures: {
      revenue_usd: [391_035e6, 'us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax'],
      net_income_usd: [93_736e6, 'us-gaap:NetIncomeLoss'],
      ebitda_usd: [134_661e6, 'us-gaap:OperatingIncomeLoss', 'us-gaap:DepreciationDepletionAndAmortization'],
      eps_basic: [6.11, 'us-gaap:EarningsPerShareBasic'],
      eps_diluted: [6.08, 'us-gaap:EarningsPerShareDiluted'],
      total_debt_usd: [
        106_629e6,
        ...['us-gaap:LongTermDebtNoncurrent', 'us-gaap:LongTermDebtCurrent', 'us-gaap:CommercialPaper'],
      ] as const,
      cash_and_equivalents_usd: [29_943e6, 'us-gaap:CashAndCashEquivalentsAtCarryingValue'],
      short_term_investments_usd: [35_228e6, 'us-gaap:MarketableSecuritiesCurrent'],
      total_assets_usd: [364_980e6, 'us-gaap:Assets'],
      accounts_receivable_usd: [33_410e6, 'us-gaap:AccountsReceivableNetCurrent'],
      shares_outstanding: [15_115_823_000, 'dei:EntityCommonStockSharesOutstanding'],
      public_float_usd: [2_628_553e6, 'dei:EntityPublicFloat'],
    },
  },
}

const DAY_MS = 86_400_000

/** Figures of the annual report: of its own year, of its last day, and from its cover page. */
function isOfReport(fact: StatedFact, { accession, periodEnd }: Company): boolean {
  if (fact.accession !== accession) return false
  if (fact.taxonomy === 'dei') return true
  const days =
    fact.periodStart === null
      ? null
      : (Date.parse(fact.periodEnd) - Date.parse(fact.periodStart)) / DAY_MS + 1
  return (
    fact.periodEnd === periodEnd && (days === null || (days >= ANNUAL_DAYS.min && days <= ANNUAL_DAYS.max))
  )
}

async function factsOf(company: Company): Promise<readonly StatedFact[]> {
  if ('stated' in company.facts) return company.facts.stated
  const path = samplePath(company.facts.sample) ?? expect.fail('there is no such sample')
  const body = (async function* () {
    yield await readFile(path)
  })()
  const now = new Date('2026-11-20T12:00:00Z')
  const facts: StatedFact[] = []
  for await (const item of companyFactsFile.parseStream(body, { now, onRead: () => {}, onAbsent: () => {} }))
    if (item.kind === 'row' && isOfReport(item.row, company)) facts.push(item.row)
  return facts
}

const isAtHand = ({ facts }: Company) => 'stated' in facts || samplePath(facts.sample) !== null

describe('the rules of the figures', () => {
  for (const [name, company] of Object.entries(COMPANIES))
    it.skipIf(!isAtHand(company))(`read what ${name} states in its annual report`, async () => {
      const figures = computeFigures(await factsOf(company), company.periodEnd)
      const read = FIGURE_NAMES.flatMap((figure) => {
        const { value, facts } = figures[figure]
        const tags = facts.map(({ taxonomy, tag }) => `${taxonomy}:${tag}`)
        return value === null ? [] : [[figure, [value.toNumber(), ...tags]] as const]
      })
      expect(Object.fromEntries(read)).toEqual(company.figures)
    })

  it('are each tried with two real companies', () => {
    const tried = FIGURE_NAMES.map((figure) => {
      const companies = Object.entries(COMPANIES).filter(([, { figures }]) => figure in figures)
      return [figure, companies.map(([name]) => name)] as const
    })
    expect(tried.filter(([, companies]) => companies.length < 2)).toEqual([])
  })
})
