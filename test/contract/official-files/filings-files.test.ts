import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFeed } from '../../../src/ingest/registry.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import { createLogger } from '../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { samplePath } from '../../support/samples.js'

const NVIDIA = samplePath('sec/companyfacts_CIK0001045810_nvidia.json')
const ALPHABET = samplePath('sec/companyfacts_CIK0001652044_alphabet_trimmed.json')
const ALPHABET_FACTS = 1_131

interface Input {
  readonly figure: string
  readonly tag: string | null
  readonly filing: string | null
  readonly form: string | null
}

interface Served {
  readonly filed_date?: string
  readonly aaoifi: { readonly inputs: readonly Input[] }
  readonly reasons: readonly { readonly figure: string; readonly reason: string }[]
  readonly periods?: readonly object[]
}

interface Computed extends Served {
  readonly filings: readonly { readonly figure: string }[]
}

describe.skipIf(NVIDIA === null || ALPHABET === null)(
  'recorded figures of companies (skipped without their sample files)',
  () => {
    let app: TestApp
    let key: string
    let home: string
    beforeAll(async () => {
      app = await startTestApp(quickestDatabase())
      key = await app.newKey({ tier: 'growth' })
      home = await mkdtemp(join(tmpdir(), 'facts-'))
      const { rows, text } = await measured(() => ingest(NVIDIA ?? ''))
      process.stdout.write(`NVIDIA: ${rows} rows ${text}\n`)
      await ingest(ALPHABET ?? '')
    })
    afterAll(async () => {
      await app?.close()
      await rm(home, { recursive: true, force: true })
    })

    const ingest = async (path: string) => {
      app.clock.advance(60_000)
      const { database, clock } = app
      const fetchBody = () => expect.fail('nothing is fetched')
      const deps = { database, clock, log: createLogger('silent'), fetchBody }
      const summary = await runFeed(deps, findFeed('sec-facts'), { kind: 'file', path })
      app.clock.advance(1_000) // versions are read again every half second
      return summary
    }

    /** Runs an ingestion, and says how long it took and how far the memory of the process grew meanwhile. */
    const measured = async (run: () => ReturnType<typeof ingest>) => {
      const before = process.memoryUsage.rss()
      let peak = before
      const timer = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage.rss())
      }, 10)
      const startedAt = performance.now()
      const { rows } = await run().finally(() => clearInterval(timer))
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      return { rows, text: `in ${seconds} s, memory grew ${Math.round((peak - before) / 1e6)} MB` }
    }

    const FIGURES = `ticker period_end_date filing_type accession_number filed_date revenue_usd total_debt_usd
      cash_and_equivalents_usd short_term_investments_usd shares_outstanding market_cap_avg_24m_usd below_thresholds
      reasons { figure reason }
      aaoifi { debt_to_market_cap cash_to_market_cap interest_income_to_revenue below_thresholds
        reasons { ratio reason } inputs { ratio figure tag filing form period value unit } }`
    const graphql = async (query: string) => {
      const { body } = await app.graphql<Record<string, { data: Served }>>(query, { key })
      expect(body.errors).toBeUndefined()
      return body.data ?? {}
    }

    it('give the latest annual period with its filing, the same in both APIs', async () => {
      const { status, body } = await app.rest<{ data: Served }>('/v1/stocks/NVDA/fundamentals', { key })
      expect(status).toBe(200)
      expect(body.data).toMatchObject({
        period_end_date: '2026-01-25',
        filing_type: '10-K',
        accession_number: '0001045810-26-000021',
        revenue_usd: 215_938_000_000,
        net_income_usd: 120_067_000_000,
        ebitda_usd: 133_230_000_000,
        interest_income_usd: 2_300_000_000,
        eps_basic: 4.93,
        eps_diluted: 4.9,
        total_debt_usd: 8_468_000_000,
        cash_and_equivalents_usd: 10_605_000_000,
        short_term_investments_usd: 39_065_000_000,
        total_assets_usd: 206_803_000_000,
        accounts_receivable_usd: 38_466_000_000,
        shares_outstanding: 24_300_000_000,
        public_float_usd: 4_000_000_000_000,
        market_cap_avg_24m_usd: null,
        below_thresholds: true,
        aaoifi: {
          debt_to_market_cap: 0.002117,
          cash_to_market_cap: 0.012418,
          interest_income_to_revenue: 0.010651,
          thresholds: {
            debt_to_market_cap: 0.33,
            cash_to_market_cap: 0.33,
            interest_income_to_revenue: 0.05,
          },
          reasons: [],
        },
      })
      expect(
        body.data.aaoifi.inputs.map(({ figure, tag, filing, form }) => `${figure} ${tag} ${filing} ${form}`),
      ).toEqual([
        'total_debt_usd us-gaap:LongTermDebtNoncurrent 0001045810-26-000052 10-Q',
        'total_debt_usd us-gaap:DebtCurrent 0001045810-26-000052 10-Q',
        'public_float_usd dei:EntityPublicFloat 0001045810-26-000021 10-K',
        'cash_and_equivalents_usd us-gaap:CashAndCashEquivalentsAtCarryingValue 0001045810-26-000052 10-Q',
        'short_term_investments_usd us-gaap:DebtSecuritiesCurrent 0001045810-26-000052 10-Q',
        'public_float_usd dei:EntityPublicFloat 0001045810-26-000021 10-K',
        'interest_income_usd us-gaap:InvestmentIncomeInterest 0001045810-26-000021 10-K',
        'revenue_usd us-gaap:Revenues 0001045810-26-000021 10-K',
      ])
      const { stock_fundamentals: asked } = await graphql(
        `{ stock_fundamentals(ticker: "nvda", mic: "XNAS") { data { ${FIGURES} } } }`,
      )
      const { filed_date, ...same } = asked?.data ?? {}
      expect(filed_date).toBe('2026-02-25')
      expect(body.data).toMatchObject(same)
    })

    it('give what was filed by a day, and the fiscal years before', async () => {
      const { then, old } = await graphql(`{
        then: stock_fundamentals(ticker: "NVDA", report_date: "2026-03-01") { data { ${FIGURES} } }
        old: stock_fundamentals(ticker: "NVDA", report_date: "2023-03-01") { data { ${FIGURES}
          periods(limit: 3) { period_end_date accession_number revenue_usd filed_date } } } }`)
      // The marketable securities of January got a tag with the report of May. Before, a part of them was unknown.
      expect(then?.data).toMatchObject({ period_end_date: '2026-01-25', short_term_investments_usd: null })
      expect(then?.data.aaoifi).toMatchObject({ cash_to_market_cap: null })
      expect(old?.data).toMatchObject({ period_end_date: '2023-01-29', revenue_usd: 26_974_000_000 })
      expect(old?.data.periods).toEqual([
        {
          period_end_date: '2022-01-30',
          accession_number: '0001045810-22-000036',
          revenue_usd: 26_914_000_000,
          filed_date: '2022-03-18',
        },
        {
          period_end_date: '2021-01-31',
          accession_number: '0001045810-21-000010',
          revenue_usd: 16_675_000_000,
          filed_date: '2021-02-26',
        },
        {
          period_end_date: '2020-01-26',
          accession_number: '0001045810-20-000010',
          revenue_usd: 10_918_000_000,
          filed_date: '2020-02-20',
        },
      ])
    })

    it('give quarters and trailing twelve months with their filings and calculation', async () => {
      const newest = async (ticker: string, period: string) => {
        const path = `/v1/stocks/${ticker}/fundamentals?period=${period}`
        const { status, body } = await app.rest<{ data: Computed }>(path, { key })
        expect(status).toBe(200)
        const filings = body.data.filings.find(({ figure }) => figure === 'revenue_usd')
        return { ...body.data, filings }
      }
      expect(await newest('NVDA', 'quarter')).toMatchObject({
        period: 'quarter',
        period_start_date: '2026-01-26',
        period_end_date: '2026-04-26',
        filing_type: '10-Q',
        accession_number: '0001045810-26-000052',
        revenue_usd: 81_615_000_000,
        net_income_usd: 58_321_000_000,
        ebitda_usd: 54_533_000_000,
        eps_diluted: 2.39,
        public_float_usd: null,
        filings: { accession_numbers: ['0001045810-26-000052'], calculation: null, note: null },
      })
      expect(await newest('NVDA', 'ttm')).toMatchObject({
        period: 'ttm',
        period_start_date: '2025-04-28',
        period_end_date: '2026-04-26',
        revenue_usd: 253_491_000_000,
        ebitda_usd: 165_514_000_000,
        eps_diluted: null,
        filings: {
          accession_numbers: ['0001045810-26-000021', '0001045810-26-000052'],
          calculation:
            'the 364 days to 2026-01-25 in 0001045810-26-000021 plus the 91 days to 2026-04-26 in 0001045810-26-000052 ' +
            'minus the 91 days to 2025-04-27 in 0001045810-26-000052',
        },
      })
      expect(await newest('GOOGL', 'ttm')).toMatchObject({ revenue_usd: 422_498_000_000 })
    })

    it('give earlier quarters as of a day', async () => {
      const { quarters } = await graphql(`{
        quarters: stock_fundamentals(ticker: "NVDA", period: quarter, report_date: "2026-03-01") {
          data { period_end_date revenue_usd periods(limit: 4) { period_end_date period revenue_usd } } } }`)
      const quarter = (end: string, revenue: number) => ({ period_end_date: end, revenue_usd: revenue * 1e6 })
      expect(quarters?.data).toMatchObject({
        ...quarter('2026-01-25', 68_127),
        periods: [
          { ...quarter('2025-10-26', 57_006), period: 'quarter' },
          quarter('2025-07-27', 46_743),
          quarter('2025-04-27', 44_062),
          quarter('2025-01-26', 39_331),
        ],
      })
    })

    it('say why a figure is null', async () => {
      const { body } = await app.rest<{ data: Served; meta: { data_quality: string } }>(
        '/v1/stocks/GOOGL/fundamentals',
        { key },
      )
      expect(body.meta.data_quality).toBe('partial')
      expect(body.data).toMatchObject({
        shares_outstanding: null,
        market_cap_avg_24m_usd: null,
        eps_basic: null,
      })
      expect(body.data.reasons.find(({ figure }) => figure === 'shares_outstanding')?.reason).toBe(
        'the filings do not state dei:EntityCommonStockSharesOutstanding, in shares, on the cover page of the report to 2025-12-31',
      )
    })

    it('change nothing when they are ingested again', async () => {
      const rows = () =>
        app.database.rows('select * from filed_fact order by cik, tag, accession, known_from')
      const before = await rows()
      expect(before).toHaveLength(3_507 + ALPHABET_FACTS)
      const summary = await ingest(NVIDIA ?? '')
      expect(summary).toMatchObject({ added: 0, revised: 0, unchanged: 3_507, rejected: 1 })
      // A typing error of the filer.
      expect(summary.rejections.map(({ reason }) => reason)).toEqual([
        'it was filed on 2011-05-27, before the period ended',
      ])
      expect(await rows()).toEqual(before)
    })

    it('lose what the body of the filer no longer has, and keep the facts of others', async () => {
      const text = await readFile(NVIDIA ?? '', 'utf8')
      const facts = JSON.parse(text) as { facts: { 'us-gaap': Record<string, unknown> } }
      facts.facts['us-gaap'].LongTermDebt = { units: { USD: [] } }
      await writeFile(join(home, 'shorter.json'), JSON.stringify(facts))
      expect(await ingest(join(home, 'shorter.json'))).toMatchObject({
        added: 0,
        revised: 0,
        alsoChanged: 96,
        unchanged: 3_411,
      })
      const { body } = await app.rest<{ data: Served }>('/v1/stocks/NVDA/fundamentals', { key })
      expect(body.data.aaoifi.inputs.map(({ tag }) => tag).slice(0, 2)).toEqual([
        'us-gaap:LongTermDebtNoncurrent',
        'us-gaap:DebtCurrent',
      ])
      expect(body.data).toMatchObject({ total_debt_usd: 8_468_000_000 })
      const alphabet = await app.rest<{ data: Served }>('/v1/stocks/GOOGL/fundamentals', { key })
      expect(alphabet.body.data).toMatchObject({ total_debt_usd: 49_085_000_000 })
    })
  },
)
