import { z } from 'zod'
import type { FiledFact } from '../../../domains/filings/model.js'
import { concatChunks, oneChunk } from '../../bodies/chunks.js'
import { BrokenBody, jsonOfBody, type ParseContext, type Parsed, type StreamFeed } from '../../feed.js'
import { STOCKS } from '../../providers/reference/assets.js'
import { parseFacts } from '../../providers/sec/company-facts.js'
import { noise } from '../../seed/values/noise.js'
import { seedProvider } from '../../seed/values/seed-provider.js'
import { companyLevel, syntheticShares } from './company-levels.js'

/** Annual reports per company. */
const YEARS = 5

/** Day of the following year on which reports are filed. */
const FILED = '02-20'

/** Figures that some companies do not state, which gives nulls with a reason. */
const MISSING: Readonly<Record<string, string>> = {
  amazon: 'InvestmentIncomeInterest',
  alphabet: 'EntityCommonStockSharesOutstanding',
  jpmorgan: 'AccountsReceivableNetCurrent',
}

/** The company that restates the previous year's revenue in each report. */
const RESTATES = 'microsoft'
const RESTATED_SHARE = 0.98

interface Fact {
  readonly start?: string
  readonly end: string
  readonly val: number
  readonly accn: string
  readonly form: string
  readonly filed: string
}

type Units = Record<string, { units: Record<string, Fact[]> }>

interface Company {
  readonly cik: number
  readonly facts: { readonly dei: Units; readonly 'us-gaap': Units }
}

/** Synthetic companyfacts bodies, read by the same parser. */
export const seedFilings: StreamFeed<FiledFact> = {
  id: 'seed-filings',
  provider: seedProvider,
  dataset: 'filings',
  description: `Synthetic annual reports of ${YEARS} years for the stocks that have a CIK`,
  cadence: 'each start in development',
  parseStream: parseCompanies,
}

/** The reports that were filed by that instant. The same company and year always have the same figures. */
export function seedFilingsBody(now: Date): Uint8Array {
  const year = now.getUTCFullYear()
  const last = now.toISOString().slice(5, 10) > FILED ? year - 1 : year - 2
  const companies = STOCKS.flatMap(({ slug, cik }) =>
    cik === null ? [] : companyOf(slug, Number(cik), last),
  )
  return new TextEncoder().encode(JSON.stringify(companies))
}

function companyOf(slug: string, cik: number, last: number): Company {
  const facts: Company['facts'] = { dei: {}, 'us-gaap': {} }
  for (let year = last - YEARS + 1; year <= last; year += 1) {
    const accn = `0009999999-${String(year + 1).slice(2)}-${String(cik % 1_000_000).padStart(6, '0')}`
    const filing = { accn, form: '10-K', filed: `${year + 1}-${FILED}` }
    for (const [name, of] of Object.entries(figuresOf(slug, year))) {
      if (MISSING[slug] === name) continue
      const days = of.isOfYear === true ? { start: `${year}-01-01` } : {}
      add(facts[of.taxonomy ?? 'us-gaap'], name, of.unit ?? 'USD', {
        ...days,
        end: of.day ?? `${year}-12-31`,
        val: of.value,
        ...filing,
      })
    }
    if (slug !== RESTATES || year === last - YEARS + 1) continue
    const val = Math.round((figuresOf(slug, year - 1).Revenues?.value ?? 0) * RESTATED_SHARE)
    const before = { start: `${year - 1}-01-01`, end: `${year - 1}-12-31` }
    add(facts['us-gaap'], 'Revenues', 'USD', { ...before, val, ...filing })
  }
  return { cik, facts }
}

interface SyntheticReports {
  readonly value: number
  /** us-gaap by default. */
  readonly taxonomy?: 'dei'
  /** USD by default. */
  readonly unit?: string
  readonly isOfYear?: true
  /** The last day of the year by default. */
  readonly day?: string
}

/** The figures of a company and year: assets exceed cash, and earnings per share times shares is the net income. */
function figuresOf(slug: string, year: number): Readonly<Record<string, SyntheticReports>> {
  const part = (name: string, low: number, high: number) =>
    low + (high - low) * (0.8 * noise(`${slug} ${name}`) + 0.2 * noise(`${slug} ${name} ${year}`))
  const shares = syntheticShares(slug, year)
  const capital = shares * companyLevel(slug, `${year}-12`)
  const revenue = capital * part('revenue', 0.08, 0.4)
  const netIncome = revenue * part('margin', 0.04, 0.28)
  const assets = revenue * part('assets', 1.2, 2.5)
  const perShare = Number((netIncome / shares).toFixed(2))
  const ofYear = (value: number): SyntheticReports => ({ value: Math.round(value), isOfYear: true })
  const atEnd = (value: number): SyntheticReports => ({ value: Math.round(value) })
  return {
    EntityCommonStockSharesOutstanding: {
      value: shares,
      taxonomy: 'dei',
      unit: 'shares',
      day: `${year + 1}-01-31`,
    },
    EntityPublicFloat: { value: Math.round(capital * 0.85), taxonomy: 'dei', day: `${year}-06-30` },
    Revenues: ofYear(revenue),
    NetIncomeLoss: ofYear(netIncome),
    OperatingIncomeLoss: ofYear(netIncome * 1.25),
    DepreciationDepletionAndAmortization: ofYear(revenue * 0.05),
    InvestmentIncomeInterest: ofYear(revenue * part('interest', 0.002, 0.07)),
    EarningsPerShareBasic: { value: perShare, unit: 'USD/shares', isOfYear: true },
    EarningsPerShareDiluted: {
      value: Number((perShare * 0.99).toFixed(2)),
      unit: 'USD/shares',
      isOfYear: true,
    },
    LongTermDebt: atEnd(capital * part('debt', 0.01, 0.45)),
    CashAndCashEquivalentsAtCarryingValue: atEnd(assets * part('cash', 0.03, 0.12)),
    MarketableSecuritiesCurrent: atEnd(assets * part('securities', 0.01, 0.1)),
    Assets: atEnd(assets),
    AccountsReceivableNetCurrent: atEnd(revenue * 0.12),
  }
}

function add(units: Units, name: string, unit: string, fact: Fact): void {
  units[name] ??= { units: {} }
  const lists = units[name].units
  lists[unit] ??= []
  lists[unit].push(fact)
}

async function* parseCompanies(
  chunks: AsyncIterable<Uint8Array>,
  context: ParseContext,
): AsyncGenerator<Parsed<FiledFact>> {
  const companies = z.array(z.unknown()).safeParse(jsonOfBody(await concatChunks(chunks), 200))
  if (!companies.success) throw new BrokenBody('the body is not a list of companies')
  for (const company of companies.data) {
    yield* parseFacts(oneChunk(JSON.stringify(company)), context, null)
  }
}
