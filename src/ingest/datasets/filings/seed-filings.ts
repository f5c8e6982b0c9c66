import { z } from 'zod'
import type { FiledFact } from '../../../domains/filings/model.js'
import { concatChunks, oneChunk } from '../../bodies/chunks.js'
import { BrokenBody, jsonOfBody, type ParseContext, type Parsed, type StreamFeed } from '../../feed.js'
import { STOCKS } from '../../providers/reference/assets.js'
import { parseFacts } from '../../providers/sec/company-facts.js'
import { noise } from '../../seed/values/noise.js'
import { SEED_FEED } from '../../seed/values/seed-provider.js'
import { companyLevel, syntheticShares } from './company-levels.js'

/** Annual reports per company. */
const YEARS = 5

/** Day of the following year on which reports are filed. */
const FILED = '02-20'

/** Quarterly reports: the last day, the share of the year until then, and the day of filing. */
const QUARTERS = [
  { end: '03-31', start: '01-01', share: 0.23, filed: '05-05' },
  { end: '06-30', start: '04-01', share: 0.47, filed: '08-04' },
  { end: '09-30', start: '07-01', share: 0.72, filed: '11-03' },
] as const

/** An amount that is stated only since the start of the fiscal year, as in cash flow statements. */
const TO_DATE_ONLY = 'DepreciationDepletionAndAmortization'

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
  ...SEED_FEED,
  dataset: 'filings',
  description: `Synthetic annual reports of ${YEARS} years and quarterly ones of two for the stocks that have a CIK`,
  parseStream: parseCompanies,
}

/** The reports that were filed by that instant. The same company and year always have the same figures. */
export function seedFilingsBody(now: Date): Uint8Array {
  const year = now.getUTCFullYear()
  const last = now.toISOString().slice(5, 10) > FILED ? year - 1 : year - 2
  const companies = STOCKS.flatMap(({ slug, cik }) =>
    cik === null ? [] : companyOf(slug, Number(cik), last, now),
  )
  return new TextEncoder().encode(JSON.stringify(companies))
}

function companyOf(slug: string, cik: number, last: number, now: Date): Company {
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
  for (const year of [last, last + 1]) addQuarters(facts['us-gaap'], slug, cik, year, now)
  return { cik, facts }
}

/** The quarterly reports of a fiscal year that were filed by that instant. They have no cover page. */
function addQuarters(units: Units, slug: string, cik: number, year: number, now: Date): void {
  const figures = Object.entries(figuresOf(slug, year)).filter(
    ([name, { taxonomy }]) => taxonomy === undefined && MISSING[slug] !== name,
  )
  let shareBefore = 0
  for (const [at, quarter] of QUARTERS.entries()) {
    const filed = `${year}-${quarter.filed}`
    if (filed > now.toISOString().slice(0, 10)) return
    const accn = `000999999${at}-${String(year).slice(2)}-${String(cik % 1_000_000).padStart(6, '0')}`
    const filing = { end: `${year}-${quarter.end}`, accn, form: '10-Q', filed }
    for (const [name, { value, unit = 'USD', isOfYear }] of figures) {
      const part = (share: number) => Number((value * share).toFixed(unit === 'USD' ? 0 : 2))
      const toDate = { start: `${year}-01-01`, val: part(quarter.share), ...filing }
      const ofQuarter = {
        start: `${year}-${quarter.start}`,
        // The difference of rounded amounts, so that quarters add up to the year.
        val: unit === 'USD' ? part(quarter.share) - part(shareBefore) : part(quarter.share - shareBefore),
        ...filing,
      }
      if (isOfYear !== true) add(units, name, unit, { val: value, ...filing })
      else if (at === 0) add(units, name, unit, toDate)
      else {
        add(units, name, unit, toDate)
        if (name !== TO_DATE_ONLY) add(units, name, unit, ofQuarter)
      }
    }
    shareBefore = quarter.share
  }
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
