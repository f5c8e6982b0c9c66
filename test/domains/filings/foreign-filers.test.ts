import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFeed } from '../../../src/ingest/registry.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import { createLogger } from '../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

interface Served {
  readonly data: Readonly<Record<string, unknown>> & {
    readonly reasons: readonly { readonly figure: string; readonly reason: string }[]
    readonly aaoifi: { readonly inputs: readonly { readonly figure: string; readonly tag: string | null }[] }
  }
}

interface Stated {
  readonly tag: string
  readonly value: number
  readonly unit?: string
  /** At one day. */
  readonly isInstant?: boolean
  readonly taxonomy?: string
}

/** A body of companyfacts of one fiscal year, made up. */
function bodyOf(cik: number, year: number, form: string, stated: readonly Stated[]) {
  const facts: Record<string, Record<string, { units: Record<string, object[]> }>> = {}
  for (const { tag, value, unit = 'USD', isInstant = false, taxonomy = 'ifrs-full' } of stated) {
    facts[taxonomy] ??= {}
    facts[taxonomy][tag] ??= { units: {} }
    facts[taxonomy][tag].units[unit] = [
      {
        ...(isInstant ? {} : { start: `${year}-01-01` }),
        ...{ end: `${year}-12-31`, val: value, form, filed: `${year + 1}-03-10` },
        accn: `0000000007-${String(year + 1).slice(2)}-000001`,
      },
    ]
  }
  return new TextEncoder().encode(JSON.stringify({ cik, entityName: 'Made up', facts }))
}

const STATEMENTS: readonly Stated[] = [
  { tag: 'Revenue', value: 1_000 },
  { tag: 'ProfitLoss', value: 120 },
  { tag: 'ProfitLossAttributableToOwnersOfParent', value: 110 },
  { tag: 'ProfitLossFromOperatingActivities', value: 200 },
  { tag: 'DepreciationAndAmortisationExpense', value: 50 },
  { tag: 'FinanceIncome', value: 9 },
  { tag: 'FinanceCosts', value: 30 },
  { tag: 'BasicEarningsLossPerShare', value: 1.1, unit: 'USD/shares' },
  { tag: 'DilutedEarningsLossPerShare', value: 1.05, unit: 'USD/shares' },
  { tag: 'Assets', value: 3_000, isInstant: true },
  { tag: 'LongtermBorrowings', value: 400, isInstant: true },
  { tag: 'CurrentPortionOfLongtermBorrowings', value: 40, isInstant: true },
  { tag: 'ShorttermBorrowings', value: 4, isInstant: true },
  { tag: 'CashAndCashEquivalents', value: 300, isInstant: true },
  { tag: 'CurrentInvestments', value: 70, isInstant: true },
  { tag: 'TradeAndOtherCurrentReceivables', value: 150, isInstant: true },
  { tag: 'EntityCommonStockSharesOutstanding', value: 100, unit: 'shares', isInstant: true, taxonomy: 'dei' },
]

const inEuro = ({ unit = 'USD', ...stated }: Stated): Stated => ({
  ...stated,
  unit: unit.replace('USD', 'EUR'),
})

const FOREIGN = 7_000_001

describe('companies that report to the SEC by IFRS', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'pro' })
    await app.database.rows(`update instrument set cik = $1 where ticker = 'SAP' and mic = 'XETR'`, [
      String(FOREIGN).padStart(10, '0'),
    ])
  })
  afterAll(() => app?.close())

  const fundamentals = async (body: Uint8Array) => {
    app.clock.advance(60_000)
    const { database, clock } = app
    const fetchBody = () => expect.fail('nothing is fetched')
    const deps = { database, clock, log: createLogger('silent'), fetchBody }
    const source = { kind: 'bytes', bytes: body, origin: 'made up' } as const
    expect(await runFeed(deps, findFeed('sec-facts'), source)).toMatchObject({ rejected: 0 })
    app.clock.advance(1_000)
    const { status, body: served } = await app.rest<Served>('/v1/stocks/SAP/fundamentals?mic=XETR', { key })
    expect(status).toBe(200)
    return served.data
  }

  it.each(['20-F', '20-F/A', '40-F', '40-F/A'])(
    'have their figures by the tags of ifrs-full: %s',
    async (form) => {
      const data = await fundamentals(bodyOf(FOREIGN, 2025, form, STATEMENTS))
      expect(data).toMatchObject({
        filing_type: form,
        period_end_date: '2025-12-31',
        ...{ revenue_usd: 1_000, net_income_usd: 110, ebitda_usd: 250, interest_income_usd: 9 },
        ...{ eps_basic: 1.1, eps_diluted: 1.05, total_assets_usd: 3_000, total_debt_usd: 444 },
        ...{ cash_and_equivalents_usd: 300, short_term_investments_usd: 70 },
        ...{ accounts_receivable_usd: 150, shares_outstanding: 100 },
        aaoifi: { interest_income_to_revenue: 0.009 },
      })
      expect(new Set(data.aaoifi.inputs.flatMap(({ tag }) => tag ?? []))).toEqual(
        new Set([
          ...['ifrs-full:LongtermBorrowings', 'ifrs-full:CurrentPortionOfLongtermBorrowings'],
          ...[
            'ifrs-full:ShorttermBorrowings',
            'ifrs-full:CashAndCashEquivalents',
            'ifrs-full:CurrentInvestments',
          ],
          ...['ifrs-full:FinanceIncome', 'ifrs-full:Revenue'],
        ]),
      )
    },
  )

  it('count debt once: the total if it is stated, and the current part with all that is in it', async () => {
    const debt = async (...stated: Stated[]) => {
      const rest = STATEMENTS.filter(({ tag }) => !tag.includes('borrowings') && !tag.includes('Borrowings'))
      const data = await fundamentals(bodyOf(FOREIGN, 2025, '20-F', [...rest, ...stated]))
      return data.total_debt_usd
    }
    const at = (tag: string, value: number): Stated => ({ tag, value, isInstant: true })
    const parts = [at('LongtermBorrowings', 400), at('CurrentPortionOfLongtermBorrowings', 40)]
    const current = at('CurrentBorrowingsAndCurrentPortionOfNoncurrentBorrowings', 44)
    expect(await debt(...parts, current, at('Borrowings', 450))).toBe(450)
    expect(await debt(...parts, current, at('ShorttermBorrowings', 4))).toBe(444)
    expect(await debt(...parts)).toBe(440)
    expect(await debt(current)).toBe(44)
  })

  it('in another currency than USD have no figure, and the reason names the currency', async () => {
    const data = await fundamentals(bodyOf(FOREIGN, 2025, '20-F', STATEMENTS.map(inEuro)))
    const amounts = Object.entries(data).filter(([name]) => /_usd$|^eps/.test(name))
    expect(amounts.length).toBeGreaterThan(10)
    for (const [name, value] of amounts) expect(value, name).toBeNull()
    expect(data).toMatchObject({ filing_type: '20-F', shares_outstanding: 100, below_thresholds: null })
    const reasons = new Map(data.reasons.map(({ figure, reason }) => [figure, reason]))
    expect(reasons.get('revenue_usd')).toBe(
      'the filings state ifrs-full:Revenue in EUR, not in USD: nothing is converted',
    )
    expect(reasons.get('eps_basic')).toBe(
      'the filings state ifrs-full:BasicEarningsLossPerShare in EUR/shares, not in USD/shares: nothing is converted',
    )
    expect(reasons.get('total_debt_usd')).toContain('ifrs-full:LongtermBorrowings in EUR')
    expect(reasons.get('public_float_usd')).toContain('do not state dei:EntityPublicFloat')
  })

  it('in both currencies have the figure in USD', async () => {
    const both = [{ tag: 'Revenue', value: 1_100 }, ...STATEMENTS.map(inEuro)]
    const data = await fundamentals(bodyOf(FOREIGN, 2025, '20-F', both))
    expect(data).toMatchObject({ revenue_usd: 1_100, net_income_usd: null })
  })

  it('on 6-K alone have no annual report', async () => {
    app.clock.advance(60_000)
    await app.database.rows(`delete from filed_fact where cik = $1`, [String(FOREIGN).padStart(10, '0')])
    const { database, clock } = app
    const fetchBody = () => expect.fail('nothing is fetched')
    const bytes = bodyOf(FOREIGN, 2025, '6-K', STATEMENTS)
    await runFeed({ database, clock, log: createLogger('silent'), fetchBody }, findFeed('sec-facts'), {
      ...{ kind: 'bytes', bytes, origin: 'made up' },
    })
    app.clock.advance(1_000)
    expect((await app.rest('/v1/stocks/SAP/fundamentals?mic=XETR', { key })).status).toBe(404)
  })
})
