import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../../src/core/time.js'
import { ANALYSIS_TYPES } from '../../../../src/domains/analysis/model.js'
import { writeCandles } from '../../../../src/domains/market/store.js'
import { writeSupplies } from '../../../../src/domains/market/supply-store.js'
import {
  type AnalysisGenerator,
  type AnalysisInput,
  DroppedAnalysis,
} from '../../../../src/ingest/datasets/analysis/generator.js'
import { analyseByRules, rulesGenerator } from '../../../../src/ingest/datasets/analysis/rules/rules.js'
import { type AnalysisRequest, runAnalysis } from '../../../../src/ingest/datasets/analysis/run-analysis.js'
import { createLlmGenerator } from '../../../../src/ingest/datasets/analysis/words/llm.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { bumpDataset } from '../../../../src/platform/database/versions/bump-dataset.js'
import { createHttpClient } from '../../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { AS_OF } from './rules/points.js'
import { ChatServer, says } from './words/chat-server.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** bitcoin and ethereum of tier 1, uniswap of tier 2; each 100 and rising by its own step a day. */
const ASSETS = [
  [1, 'bitcoin', 'BTC', 1, 1],
  [2, 'ethereum', 'ETH', 1, -1],
  [3, 'uniswap', 'UNI', 2, 0],
] as const

async function makeWorld(database: Database): Promise<void> {
  const known = { knownAt: AS_OF, source: 'consensus_vwap' }
  await database.transaction(async (tx) => {
    for (const [assetId, slug, ticker, tier] of ASSETS) {
      await tx.rows(
        `insert into asset (asset_id, slug, ticker, name, asset_class, tier, last_updated, source)
         values ($1, $2, $3, $2, 'crypto', $4, $5, 'test')`,
        [assetId, slug, ticker, tier, AS_OF],
      )
    }
    const candle = {
      exchangesCount: 4,
      maxSourceWeight: '0.25',
      methodologyVersion: 'vwap-consensus-1',
      sources: [],
    }
    const rows = ASSETS.flatMap(([assetId, , , , step]) =>
      Array.from({ length: 40 }, (_, back) => ({
        ...candle,
        assetId,
        timeframe: '1d' as const,
        ts: new Date(Date.parse('2026-11-19T00:00:00Z') - back * DAY_MS),
        vwapUsd: String(100 + step * (40 - back)),
        volumeUsd: '1000',
      })),
    )
    const hourly = ASSETS.flatMap(([assetId]) =>
      Array.from({ length: 30 }, (_, back) => ({
        ...candle,
        assetId,
        timeframe: '1h' as const,
        ts: new Date(Date.parse('2026-11-20T11:00:00Z') - back * HOUR_MS),
        vwapUsd: back === 0 ? '150' : '120',
        volumeUsd: '40',
      })),
    )
    await writeCandles(tx, [...rows, ...hourly], known)
    await writeSupplies(tx, [{ assetId: 1, supply: '20', observedAt: AS_OF, methodology: '' }], known)
    for (const dataset of ['candles', 'supply'] as const) {
      await bumpDataset(tx, {
        dataset,
        source: known.source,
        isDevDataset: false,
        observedAt: AS_OF,
        changedAt: AS_OF,
      })
    }
  })
}

describe.each(availableDatabases())('analyses on %s', (kind) => {
  let database: Database
  const server = new ChatServer()
  let url: string
  const lines: string[] = []
  const log = createLogger('warn', { write: (line: string) => lines.push(line) })
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    url = await server.open()
  })
  afterAll(async () => {
    await server.close()
    await database.close()
  })

  const run = (
    given: Partial<AnalysisRequest> = {},
    at = AS_OF,
    generator: AnalysisGenerator = rulesGenerator,
  ) =>
    runAnalysis(
      { database, clock: fixedClock(at), log, generator, signer: null },
      { slugs: null, types: ANALYSIS_TYPES, isForced: false, ...given },
    )
  const later = (hours: number) => new Date(AS_OF.getTime() + hours * HOUR_MS)
  const stored = () =>
    database
      .rows<{ count: number }>('select count(*) as count from analysis_snapshot')
      .then(([row]) => row?.count)
  const runs = (where = '', parameters: readonly unknown[] = []) =>
    database.rows<Record<string, unknown>>(
      `select run_id, feed, provider, dataset, origin, started_at, finished_at, status, added, unchanged, rejected,
         rejections, error from ingest_run ${where} order by started_at`,
      parameters,
    )
  const llm = () =>
    createLlmGenerator({
      endpoint: { baseUrl: url, apiKey: 'k', modelId: 'test-model' },
      http: createHttpClient({ log, userAgent: 'test' }),
      log,
    })

  it('says what is missing while the consensus series does not exist', async () => {
    await expect(run()).rejects.toThrow('ingest candles first')
  })

  it('creates every type for every asset in a fixed number of statements', async () => {
    await makeWorld(database)
    const before = database.statementCount()
    expect(await run()).toMatchObject({ modelId: 'rules-1', added: 9, unchanged: 0, dropped: 0, failed: 0 })
    const forAll = database.statementCount() - before
    expect(forAll).toBe(18)
    expect(await run({ isForced: true }, later(0.1))).toMatchObject({ added: 9 })
    const [row] = await database.rows<{ content: string }>(
      `select content, source, model_id, methodology_version, generated_at, data_lineage, data_window_from, data_window_to
       from analysis_snapshot where asset_id = 1 and analysis_type = 'market_context' and sequence = 1`,
    )
    expect(row).toMatchObject({
      source: 'consensus_vwap',
      model_id: 'rules-1',
      methodology_version: 'market-context-1',
      generated_at: AS_OF,
      data_lineage: [
        { dataset: 'candles', version: 1, source: 'consensus_vwap' },
        { dataset: 'supply', version: 1, source: 'consensus_vwap' },
      ],
      data_window_to: AS_OF,
    })
    const signals: readonly { readonly name: string; readonly value: number }[] = JSON.parse(
      row?.content ?? '',
    ).signals
    expect(Object.fromEntries(signals.map(({ name, value }) => [name, value]))).toMatchObject({
      price_usd: 150,
      change_24h: 0.25,
      market_cap_usd: 3_000,
      tier_breadth_20d: 0.5, // bitcoin rises, ethereum falls
    })
  })

  it('stores the new version of the dataset with its source and age', async () => {
    expect(
      await database.rows(
        `select version, source, is_dev_dataset, observed_at from dataset_state where dataset = 'analysis'`,
      ),
    ).toEqual([{ version: 2, source: 'consensus_vwap', is_dev_dataset: false, observed_at: later(0.1) }])
  })

  it('writes nothing if the figures are equal and the last analysis is recent', async () => {
    expect(await run({}, later(0.5))).toMatchObject({ added: 0, unchanged: 9 })
  })

  it('writes again after the refresh interval of the tier, even if the figures are equal', async () => {
    const request = { types: ['halal_analysis'] as const }
    expect(await run(request, later(1.2))).toMatchObject({ added: 2, unchanged: 1 })
    expect(await run(request, later(6.2))).toMatchObject({ added: 3, unchanged: 0 })
  })

  it('analyses only the requested assets, each once, and refuses an unknown slug', async () => {
    const request = { slugs: ['bitcoin', 'bitcoin'], types: ['regime'] as const, isForced: true }
    expect(await run(request, later(7))).toMatchObject({ added: 1 })
    await expect(run({ slugs: ['bitcoyne'] })).rejects.toThrow('asset "bitcoyne" does not exist')
  })

  it('continues after a failed or dropped analysis, and counts both', async () => {
    const moody: AnalysisGenerator = {
      ...rulesGenerator,
      concurrency: 2,
      generate: async (given: AnalysisInput) => {
        if (given.asset.slug === 'bitcoin') throw new Error('no answer')
        if (given.asset.slug === 'ethereum') throw new DroppedAnalysis('dropped')
        return analyseByRules(given)
      },
    }
    const summary = await run({ types: ['regime'], isForced: true }, later(8), moody)
    expect(summary).toMatchObject({ added: 1, dropped: 1, failed: 1 })
    const [row] = await runs('where run_id = $1', [summary.runId])
    expect(row).toMatchObject({ status: 'succeeded', added: 1, rejected: 2 })
    expect(row?.rejections).toEqual([
      { position: 'bitcoin regime', reason: 'Error: no answer' },
      { position: 'ethereum regime', reason: 'DroppedAnalysis: dropped' },
    ])
  })

  it('records each run in the ledger, with its model, figures and reason of failure', async () => {
    const before = await runs()
    const { runId } = await run({ types: ['regime'], isForced: true }, later(8.1))
    expect((await runs()).slice(before.length)).toEqual([
      {
        run_id: runId,
        feed: 'analysis',
        provider: 'consensus_vwap',
        dataset: 'analysis',
        origin: 'rules-1',
        started_at: later(8.1),
        finished_at: later(8.1),
        status: 'succeeded',
        added: 3,
        unchanged: 0,
        rejected: 0,
        rejections: null,
        error: null,
      },
    ])
    const broken: AnalysisGenerator = {
      ...rulesGenerator,
      // Not a UUID: the database refuses the batch.
      generate: async (given: AnalysisInput) => ({ ...analyseByRules(given), snapshotId: 'none' }),
    }
    const count = await stored()
    await expect(run({ types: ['regime'], isForced: true }, later(8.2), broken)).rejects.toThrow('uuid')
    expect(await stored()).toBe(count)
    const [failed] = (await runs()).slice(before.length + 1)
    expect(failed).toMatchObject({ status: 'failed', added: 0, finished_at: later(8.2) })
    expect(failed?.error).toContain('uuid')
  })

  it('opens no run for a refused request', async () => {
    const before = await runs()
    await expect(run({ slugs: ['bitcoyne'] })).rejects.toThrow('asset "bitcoyne" does not exist')
    expect(await runs()).toEqual(before)
  })

  it('never stores a forbidden text of a model', async () => {
    const before = await stored()
    lines.length = 0
    server.play(says('Bitcoin is undervalued, a clear buy.'))
    const summary = await run({ slugs: ['bitcoin'], isForced: true }, later(9), llm())
    expect(summary).toMatchObject({ added: 0, dropped: 3 })
    expect(await stored()).toBe(before)
    expect(lines.filter((line) => line.includes('"kind":"dropped"'))).toHaveLength(3)
    expect(
      await database.rows(`select 1 from analysis_snapshot where content ilike '%undervalued%'`),
    ).toEqual([])
  })

  it('stores the texts of a model with its name, prompt and tokens, and does not pay for the same figures twice', async () => {
    server.play(says('Ethereum had a consensus price of 150 USD.'))
    const request = { slugs: ['ethereum'], types: ['market_context'] as const }
    expect(await run(request, later(9), llm())).toMatchObject({ added: 1 })
    const [row] = await database.rows(
      `select model_id, prompt_version, prompt_hash ~ '^sha256:[0-9a-f]{64}$' as is_hashed, input_tokens, output_tokens
       from analysis_snapshot where asset_id = 2 and analysis_type = 'market_context' order by sequence desc limit 1`,
    )
    expect(row).toEqual({
      model_id: 'test-model-2026-11',
      prompt_version: 'market-context-prompt-1',
      is_hashed: true,
      input_tokens: 321,
      output_tokens: 45,
    })
    expect(await run(request, later(9.1), llm())).toMatchObject({ added: 0, unchanged: 1 })
    expect(server.calls).toHaveLength(1)
  })
})
