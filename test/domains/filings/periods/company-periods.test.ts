import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { groupBy } from '../../../../src/core/group-by.js'
import { FIGURE_NAMES } from '../../../../src/domains/filings/figures/figure-rules-model.js'
import { findFeed } from '../../../../src/ingest/registry.js'
import { runFeed } from '../../../../src/ingest/run/run-feed.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'
import { availableDatabases } from '../../../support/database/database.js'

/** Figures of a period, with the earlier periods of its kind. */
interface Newest {
  readonly periods: readonly object[]
}

interface Shown {
  readonly cik: string | null
  readonly year: Newest | null
  readonly quarter: Newest | null
  readonly ttm: Newest | null
}

const COLUMNS = ['period', 'period_start', 'period_end', 'filing_type', 'accession_number', 'filed_date']

const FIELDS = [...COLUMNS, ...FIGURE_NAMES]
  .map((name) => (/^period_(?:start|end)$/.test(name) ? `${name}: ${name}_date` : name))
  .join(' ')

const fundamentals = (period: string) =>
  `${period}: fundamentals(period: ${period}) { ${FIELDS} periods(limit: 20) { ${FIELDS} } }`

const APPLE = '0000320193'

/** Stocks of one operation. */
const PAGE = 12

/** The figures of Apple: revenue of two years and of nine months, USD. */
function appleBody(revenue: number): string {
  const ofYear = (year: number) => ({
    start: `${year}-01-01`,
    end: `${year}-12-31`,
    val: revenue,
    accn: `0000000001-${year - 1999}-000001`,
    form: '10-K',
    filed: `${year + 1}-02-20`,
  })
  const nineMonths = {
    start: '2025-01-01',
    end: '2025-09-30',
    val: 70,
    accn: '0000000001-25-000009',
    form: '10-Q',
    filed: '2025-11-01',
  }
  const USD = [ofYear(2024), ofYear(2025), nineMonths]
  return JSON.stringify({ cik: Number(APPLE), facts: { 'us-gaap': { Revenues: { units: { USD } } } } })
}

describe.each(availableDatabases())('stored periods of companies on %s', (kind) => {
  let app: TestApp
  let key: string
  let home: string
  beforeAll(async () => {
    app = await startTestApp(kind)
    key = await app.newKey({ tier: 'enterprise' })
    home = await mkdtemp(join(tmpdir(), 'facts-'))
  })
  afterAll(async () => {
    await app?.close()
    await rm(home, { recursive: true, force: true })
  })

  const ingest = async (body: string) => {
    app.clock.advance(60_000)
    const path = join(home, 'facts.json')
    await writeFile(path, body)
    const { database, clock } = app
    const fetchBody = () => expect.fail('nothing is fetched')
    const deps = { database, clock, log: createLogger('silent'), fetchBody }
    return runFeed(deps, findFeed('sec-facts'), { kind: 'file', path })
  }
  const revenues = async () => {
    const rows = await app.database.rows<{ text: string }>(
      `select concat_ws(' ', cik, period, period_end, trim_scale(revenue_usd), source, case when is_latest then 'latest' end) as text
       from company_period order by period, period_end`,
    )
    return rows.map(({ text }) => text)
  }

  it('are those that the fundamentals of every stock show', async () => {
    const stored = await app.database.rows<{ readonly cik: string }>(
      `select cik, period, period_start, period_end, form as filing_type, accession as accession_number, filed as filed_date,
         ${FIGURE_NAMES.map((name) => `${name}::float8 as ${name}`).join(', ')}
       from company_period order by cik, period, period_end desc`,
    )
    const byCompany = groupBy(stored, ({ cik }) => cik)
    const kinds = ['quarter', 'ttm', 'year'] as const
    // All facts of all stocks in one operation take longer on a busy machine than a statement of a request may.
    const page = (offset: number) =>
      app.graphql<{ stocks: { data: readonly Shown[] } }>(
        `{ stocks(limit: ${PAGE}, offset: ${offset}) { data { cik ${kinds.map(fundamentals).join(' ')} } } }`,
        { key },
      )
    const listed: Shown[] = []
    for (let count = PAGE; count === PAGE; ) {
      const { body } = await page(listed.length)
      expect(body.errors).toBeUndefined()
      count = body.data?.stocks.data.length ?? 0
      listed.push(...(body.data?.stocks.data ?? []))
    }
    const reporting = listed.filter(({ year }) => year !== null)
    expect(reporting.length).toBeGreaterThan(20)
    for (const { cik, ...stock } of reporting) {
      const shown = kinds.flatMap((period) => {
        if (stock[period] === null) return []
        const { periods, ...newest } = stock[period]
        return [newest, ...periods]
      })
      expect((byCompany.get(cik ?? '') ?? []).map(({ cik: _, ...row }) => row)).toEqual(shown)
    }
  })

  it('follow the facts: of the first live run only its companies are left, and a changed fact is computed again', async () => {
    await ingest(appleBody(100))
    expect(await revenues()).toEqual([
      `${APPLE} quarter 2024-12-31 sec`,
      `${APPLE} quarter 2025-09-30 sec`,
      `${APPLE} quarter 2025-12-31 30 sec latest`,
      `${APPLE} ttm 2024-12-31 100 sec`,
      `${APPLE} ttm 2025-09-30 sec`,
      `${APPLE} ttm 2025-12-31 100 sec latest`,
      `${APPLE} year 2024-12-31 100 sec`,
      `${APPLE} year 2025-12-31 100 sec latest`,
    ])
    await ingest(appleBody(120))
    expect((await revenues())[2]).toBe(`${APPLE} quarter 2025-12-31 50 sec latest`)
  })

  it('are written again without a change only if they are missing or of an earlier method', async () => {
    const identities = () => app.database.rows('select ctid::text, xmin::text from company_period order by 1')
    const before = await identities()
    await ingest(appleBody(120))
    expect(await identities()).toEqual(before)
    await app.database.rows(`update company_period set methodology_version = 'fundamentals-0'`)
    await ingest(appleBody(120))
    const [row] = await app.database.rows(
      `select count(*)::int as count from company_period where methodology_version <> 'fundamentals-0'`,
    )
    expect(row).toEqual({ count: 8 })
  })

  it('are rows of the star schema with the tickers of the company', async () => {
    const [row] = await app.database.rows(
      `select tickers, period_start, date_key, filing_type, revenue_usd, source from star_public.fact_company_period
       where cik = '${APPLE}' and period = 'quarter' and is_latest`,
    )
    expect(row).toEqual({
      tickers: ['AAPL'],
      period_start: '2025-10-01',
      date_key: 20251231,
      filing_type: '10-K',
      revenue_usd: '50',
      source: 'sec',
    })
  })
})
