import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canonicalJson, sha256Hex } from '../../../src/core/canonical-json.js'
import type { IsoDate } from '../../../src/core/time.js'
import type { ListedInputs } from '../../../src/ingest/datasets/analysis/facts/listed-inputs.js'
import type { AnalysisInput } from '../../../src/ingest/datasets/analysis/generator.js'
import { listedFindings, listedTypes } from '../../../src/ingest/datasets/analysis/rules/listed.js'
import { rulesGenerator } from '../../../src/ingest/datasets/analysis/rules/rules.js'
import { runAnalysis } from '../../../src/ingest/datasets/analysis/run-analysis.js'
import { findForbidden } from '../../../src/ingest/datasets/analysis/words/forbidden-words.js'
import { createLogger } from '../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'

interface Analysis {
  readonly data: {
    readonly ticker: string
    readonly name: string
    readonly analysis_type: string
    readonly model: string
    readonly summary: string
    readonly sentiment_score: number | null
    readonly signals: readonly { readonly name: string; readonly value: unknown }[]
    readonly aaoifi: {
      readonly debt_to_market_cap: number | null
      readonly below_thresholds: boolean | null
      readonly inputs: readonly { readonly filing: string | null; readonly tag: string | null }[]
      readonly reasons: readonly object[]
    } | null
    readonly immutability: { readonly content_hash: string; readonly hash_algorithm: string }
    readonly provenance: { readonly methodology_version: string | null; readonly data_window_to: string }
  }
  readonly meta: { readonly disclaimer: string; readonly is_dev_dataset: boolean; readonly ai_mode: string }
}

describe('analyses of stocks and ETFs', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    const database = await openTestDatabase(quickestDatabase(), 'seeded')
    app = await startTestApp(quickestDatabase(), { database, env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'growth' })
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })

  const rest = async <Body = Analysis>(path: string) => app.rest<Body>(path, { key })
  const graphql = async <Data>(query: string) => {
    const { body } = await app.graphql<Data>(query, { key })
    expect(body.errors).toBeUndefined()
    return body.data as Data
  }

  it('are served with the AAOIFI ratios, their inputs, and the hash of the content', async () => {
    const { status, body } = await rest('/v1/stocks/aapl/ai-analysis?analysis_type=halal_analysis')
    expect(status).toBe(200)
    const { data, meta } = body
    expect(data).toMatchObject({
      ticker: 'AAPL',
      name: 'Apple Inc.',
      analysis_type: 'halal_analysis',
      model: 'rules-1',
      sentiment_score: null,
      provenance: { methodology_version: 'halal-stock-1' },
    })
    expect(data.aaoifi?.debt_to_market_cap).toBeGreaterThan(0)
    expect(data.aaoifi?.inputs.some(({ tag, filing }) => tag !== null && filing !== null)).toBe(true)
    expect(findForbidden(data.summary.replace('AAOIFI', ''))).toBeNull()
    expect(meta).toMatchObject({ is_dev_dataset: true, ai_mode: 'rules' })
    expect(meta.disclaimer).toContain('Not a fatwa')
    const { stock_ai_analysis: answer } = await graphql<{
      stock_ai_analysis: { data: { snapshot_id: string } }
    }>('{ stock_ai_analysis(ticker: "AAPL", analysis_type: halal_analysis) { data { snapshot_id } } }')
    const snapshot = await rest<{ content: object }>(`/v1/ai-analysis/snapshots/${answer.data.snapshot_id}`)
    const hash = `sha256:${sha256Hex(canonicalJson(snapshot.body.content))}`
    expect(data.immutability).toMatchObject({ content_hash: hash, hash_algorithm: 'sha256' })
  })

  it('say why a ratio is null, and then have no verdict', async () => {
    const { body } = await rest('/v1/stocks/AMZN/ai-analysis?analysis_type=halal_analysis')
    const { aaoifi } = body.data
    expect(aaoifi).toMatchObject({ interest_income_to_revenue: null, below_thresholds: null })
    expect(aaoifi?.reasons).toMatchObject([{ ratio: 'interest_income_to_revenue' }])
  })

  it('describe the closing price of a stock and of an ETF by default', async () => {
    const stock = await rest('/v1/stocks/NVDA/ai-analysis')
    const etf = await rest('/v1/etf/spy/ai-analysis')
    for (const { body } of [stock, etf]) {
      expect(body.data).toMatchObject({ analysis_type: 'market_context', aaoifi: null })
      expect(body.data.signals[0]).toMatchObject({ name: 'close', unit: 'USD' })
      expect(body.data.provenance.methodology_version).toBe('market-context-listed-1')
    }
    expect(etf.body.data.summary).toContain('The ETF State Street SPDR S&P 500 ETF Trust (SPY) closed at')
  })

  it('do not exist if their inputs are unknown', async () => {
    const missing = await rest<{ message: string }>('/v1/etf/SPY/ai-analysis?analysis_type=halal_analysis')
    expect([missing.status, missing.body.message]).toEqual([404, 'spdr-sp-500 has no halal_analysis yet.'])
    expect((await rest('/v1/stocks/SAP/ai-analysis')).status).toBe(404)
    const wrongClass = await rest<{ message: string }>('/v1/etf/AAPL/ai-analysis')
    expect([wrongClass.status, wrongClass.body.message]).toEqual([
      404,
      'No ETF has the ticker AAPL. It belongs to Apple Inc. (stock). Use GET /v1/discover/AAPL for its data.',
    ])
  })

  it('have a history and a place in the list of changes, and are in discover', async () => {
    const history = await rest<{ total: number }>(
      '/v1/assets/apple/ai-analysis/history?analysis_type=halal_analysis',
    )
    expect(history.body.total).toBe(3)
    const diff = await rest<{ change_type_summary: string; changes: readonly object[] }>(
      '/v1/assets/apple/ai-analysis/history/diff',
    )
    expect([diff.status, diff.body.change_type_summary]).toEqual([200, 'DATA_REFRESH'])
    const changes = await rest<{ items: readonly { ticker: string }[] }>(
      '/v1/ai-analysis/changes?analysis_type=market_context&limit=100',
    )
    const tickers = new Set(changes.body.items.map(({ ticker }) => ticker))
    expect(['AAPL', 'BTC', 'SPY'].filter((ticker) => tickers.has(ticker))).toEqual(['AAPL', 'BTC', 'SPY'])
    expect((await rest<{ analyses_available: object }>('/v1/discover/AAPL')).body.analyses_available).toEqual(
      ['en'],
    )
  })

  it.each([
    'stocks(limit: LIMIT) { data { ai_analysis { summary model } } }',
    'assets(asset_class: etf, limit: LIMIT) { data { etf { ai_analysis { ticker summary model } } } }',
  ])('take one statement for a whole page: %s', async (query) => {
    const statementsOf = async (limit: number) => {
      const counts: number[] = []
      for (let run = 0; run < 4; run++) {
        const before = app.database.statementCount()
        await graphql(`{ ${query.replace('LIMIT', String(limit))} }`)
        counts.push(app.database.statementCount() - before)
      }
      return Math.min(...counts)
    }
    expect(await statementsOf(20)).toBe(await statementsOf(1))
  })

  it('are reachable from the fund of a card', async () => {
    const { asset } = await graphql<{ asset: { data: { etf: { ai_analysis: object } } } }>(
      '{ asset(id: "spdr-sp-500") { data { etf { ai_analysis { ticker analysis_type model } } } } }',
    )
    expect(asset.data.etf.ai_analysis).toMatchObject({ ticker: 'SPY', analysis_type: 'market_context' })
  })

  it('are made by one run for every stock and ETF with inputs, once only', async () => {
    app.clock.advance(60_000)
    const { database, clock } = app
    const log = createLogger('silent')
    const request = { slugs: null, types: ['halal_analysis', 'market_context'] as const, isForced: false }
    const deps = { database, clock, log, generator: rulesGenerator, signer: null }
    const made = await runAnalysis(deps, request)
    expect(made).toMatchObject({ dropped: 0, failed: 0 })
    const counts = await database.rows(
      `select a.asset_class::text, count(distinct a.asset_id)::int as assets from analysis_snapshot
       join asset a using (asset_id) where a.asset_class in ('stock', 'etf') group by 1 order by 1`,
    )
    expect(counts).toEqual([
      { asset_class: 'etf', assets: 20 },
      { asset_class: 'stock', assets: 60 },
    ])
    expect(await runAnalysis(deps, { ...request, slugs: ['apple', 'spdr-sp-500'] })).toMatchObject({
      added: 0,
    })
  })
})

describe('the rules of stocks and ETFs', () => {
  const day = (ago: number) =>
    new Date(SEEDED_AT.getTime() - ago * 86_400_000).toISOString().slice(0, 10) as IsoDate
  const input = (listed: ListedInputs): AnalysisInput => ({
    ...{ analysisType: 'market_context', asOf: SEEDED_AT, daily: [], hourly: [], supplyUnits: null },
    ...{ tierBreadth: null, token: null, balance: null, lineage: [], listed },
    asset: { assetId: 1, slug: 'a', ticker: 'A', name: 'A Corp', tier: null },
  })
  const closes = (values: readonly (readonly [ago: number, close: number])[]): ListedInputs => ({
    ...{ kind: 'stock', currency: 'USD', report: null },
    closes: values.map(([ago, close]) => ({ date: day(ago), close })),
  })
  const signalOf = (facts: ListedInputs, name: string) =>
    listedFindings(input(facts), facts).signals.find((signal) => signal.name === name)?.value

  it('measure changes against the close of that day, or the last before it, and nothing older', () => {
    const facts = closes([
      [31, 80],
      [8, 100],
      [1, 110],
    ])
    expect(signalOf(facts, 'change_7d')).toBe(0.1)
    expect(signalOf(facts, 'change_30d')).toBe(0.375)
    expect(signalOf(facts, 'change_365d')).toBeNull()
    expect(signalOf(facts, 'realised_volatility_21_closes')).toBeNull()
    expect(listedFindings(input(facts), facts).sentimentScore).toBeNull()
  })

  it('score a month of daily closes', () => {
    const facts = closes(Array.from({ length: 40 }, (_, at) => [40 - at, 100 + at + (at % 2)] as const))
    expect(signalOf(facts, 'realised_volatility_21_closes')).toBeGreaterThan(0)
    expect(listedFindings(input(facts), facts).sentimentScore).toBeGreaterThan(0)
  })

  it('use no old prices alone', () => {
    expect(listedTypes(closes([[60, 100]]), SEEDED_AT)).toEqual([])
    expect(listedTypes(closes([[5, 100]]), SEEDED_AT)).toEqual(['market_context'])
    expect(listedTypes(closes([]), SEEDED_AT)).toEqual([])
  })
})
