import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Prisma } from '../../../src/generated/prisma/client.js'
import type { Database } from '../../../src/platform/database/database.js'
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'

interface List {
  readonly data: readonly Record<string, unknown>[]
  readonly total: number
}

const NAMES = [
  'analysis',
  'asset_onchain',
  'bis',
  'bls',
  'boj',
  'bok',
  'candles',
  'codes',
  'commodities',
  'corporate_actions',
  'dividends',
  'ecb',
  'etf',
  'events',
  'filings',
  'forex',
  'instruments',
  'news',
  'onchain',
  'prices',
  'protocols',
  'screening',
  'supply',
  'ust',
]
const HOUR_MS = 3_600_000

describe('datasets', () => {
  let database: Database
  let app: TestApp
  const list = async () => (await app.rest<List>('/v1/datasets')).body
  const find = async (dataset: string) => (await list()).data.find((one) => one.dataset === dataset)
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase())
    app = await startTestApp(quickestDatabase(), { database })
  })
  afterAll(async () => {
    await app?.close()
    await database?.close()
  })

  it('are all listed for everybody while they are empty, without facts', async () => {
    const answer = await app.rest<List>('/v1/datasets')
    expect([answer.status, answer.body.total]).toEqual([200, NAMES.length])
    expect(answer.body.data.map(({ dataset }) => dataset)).toEqual(NAMES)
    expect(answer.body.data.find(({ dataset }) => dataset === 'forex')).toEqual({
      dataset: 'forex',
      title: 'Exchange rates',
      description: expect.stringMatching(/^Euro reference rates/),
      published_rule: '16:00 in Frankfurt on the day of the rate, with summer time.',
      version: 0,
      sources: [],
      freshness_status: null,
      last_updated_at: null,
      next_refresh_at: null,
      is_dev_dataset: null,
      licence: null,
      attribution: null,
      licensed_for_commercial_use: null,
      rows: null,
      since: null,
      counted_at: null,
      findings: [],
      findings_total: 0,
      jobs: [{ job: 'forex', next_run_at: null, missing_key: null }],
      last_runs: [],
    })
    const { data } = (
      await app.graphql<{ datasets: List }>('{ datasets { total data { dataset version } } }')
    ).body
    expect(data?.datasets.data).toEqual(NAMES.map((dataset) => ({ dataset, version: 0 })))
  })

  it('state their providers, terms, and when they are due', async () => {
    const now = app.clock.now()
    const terms = { licence: 'A', attribution: 'Source: A', licensedForCommercialUse: true }
    const newer = { licence: 'B', attribution: 'Source: B', licensedForCommercialUse: false }
    const part = { dataset: 'supply', isDevDataset: false, changedAt: now } as const
    await database.transaction(async (tx) => {
      const observedAt = new Date(now.getTime() - 30 * HOUR_MS)
      await bumpDataset(tx, { ...part, source: 'a', observedAt, terms })
      await bumpDataset(tx, {
        ...part,
        source: 'b',
        observedAt: new Date(now.getTime() - 25 * HOUR_MS),
        terms: newer,
      })
    })
    app.clock.advance(1000)
    expect(await find('supply')).toEqual({
      dataset: 'supply',
      title: 'Crypto supply',
      description: expect.any(String),
      published_rule: null,
      version: 2,
      sources: ['b', 'a'],
      freshness_status: 'stale',
      last_updated_at: '2026-11-19T11:00:00.000Z',
      next_refresh_at: '2026-11-20T11:00:00.000Z',
      is_dev_dataset: false,
      licence: 'B; A',
      attribution: 'Source: B; Source: A',
      licensed_for_commercial_use: false,
      rows: null,
      since: null,
      counted_at: null,
      findings: [],
      findings_total: 0,
      jobs: [{ job: 'supply-rule', next_run_at: null, missing_key: null }],
      last_runs: [],
    })
  })

  it('list the newest run of each feed within a minute, without the errors of providers', async () => {
    const run = (minutesAgo: number, facts: Partial<Prisma.IngestRunCreateManyInput>) => {
      const startedAt = new Date(app.clock.now().getTime() - minutesAgo * 60_000)
      const made = {
        dataset: 'supply',
        provider: 'a',
        feed: 'a-daily',
        status: 'succeeded',
        origin: 'https://a.test/?key',
      }
      return {
        runId: randomUUID(),
        startedAt,
        finishedAt: new Date(startedAt.getTime() + 2_000),
        ...made,
        ...facts,
      }
    }
    await database.prisma.ingestRun.createMany({
      data: [
        run(50, { added: 100 }),
        run(40, { added: 1, revised: 2, unchanged: 97, alsoChanged: 4, rejected: 5 }),
        run(30, { feed: 'b-hourly', provider: 'b', status: 'failed', error: 'HTTP 500: secret of b' }),
        run(20, { feed: 'c-daily', provider: 'c', dataset: 'forex' }),
        run(10, { feed: 'd-daily', provider: 'd', status: 'running', finishedAt: null }),
      ],
    })
    app.clock.advance(60_000)
    const supply = await find('supply')
    const listed = (supply?.last_runs ?? []) as readonly Record<string, unknown>[]
    expect(listed.map(({ feed, source, status }) => [feed, source, status])).toEqual([
      ['d-daily', 'd', 'running'],
      ['b-hourly', 'b', 'failed'],
      ['a-daily', 'a', 'succeeded'],
    ])
    expect(listed[0]?.finished_at).toBeNull()
    expect(listed[2]).toEqual({
      feed: 'a-daily',
      source: 'a',
      status: 'succeeded',
      started_at: '2026-11-20T11:20:01.000Z',
      finished_at: '2026-11-20T11:20:03.000Z',
      rows_changed: 7,
      rows_rejected: 5,
    })
    expect((await find('forex'))?.last_runs).toHaveLength(1)
    expect(JSON.stringify(await list())).not.toMatch(/secret|a\.test/)
  })

  it('state their expiry even if nothing changed', async () => {
    app.clock.advance(48 * HOUR_MS)
    expect(await find('supply')).toMatchObject({ freshness_status: 'expired', version: 2 })
  })

  it('are due as often as the best tier among the assets, for datasets by tier', async () => {
    const observedAt = app.clock.now()
    await database.rows(
      `insert into asset (asset_id, slug, ticker, name, asset_class, tier, last_updated, source)
       values (1, 'a', 'A', 'A', 'crypto', 2, now(), 'test')`,
    )
    await database.transaction((tx) =>
      bumpDataset(tx, {
        dataset: 'candles',
        source: 'x',
        isDevDataset: false,
        observedAt,
        changedAt: observedAt,
      }),
    )
    app.clock.advance(1000)
    const candles = await find('candles')
    expect(Date.parse(String(candles?.next_refresh_at)) - observedAt.getTime()).toBe(6 * HOUR_MS)
  })
})
