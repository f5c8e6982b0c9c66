import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/platform/database/database.js'
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const HOUR_MS = 3_600_000

interface Incidents {
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly total: number
}

describe.each(availableDatabases())('incidents on %s', (kind) => {
  let database: Database
  let app: TestApp
  /** Hours before the first instant of the clock. */
  const at = (hoursAgo: number) => new Date(started.getTime() - hoursAgo * HOUR_MS)
  let started: Date
  const list = async (query = '') => (await app.rest<Incidents>(`/v1/incidents${query}`)).body

  beforeAll(async () => {
    database = await openTestDatabase(kind)
    app = await startTestApp(kind, { database })
    started = app.clock.now()
    const run = (feed: string, hoursAgo: number, status: string, cause: string | null = null) => ({
      ...{
        runId: randomUUID(),
        feed,
        provider: 'ecb',
        dataset: 'forex',
        origin: 'https://a.test/?key',
        status,
        cause,
      },
      ...{ startedAt: at(hoursAgo), finishedAt: status === 'running' ? null : at(hoursAgo - 0.5) },
      error: cause === null ? null : 'HTTP 500: secret',
    })
    await database.prisma.ingestRun.createMany({
      data: [
        run('ecb-daily', 91 * 24, 'failed', 'provider'),
        run('ecb-daily', 80, 'succeeded'),
        run('ecb-daily', 72, 'failed', 'data'),
        run('ecb-daily', 71, 'failed', 'provider'),
        run('ecb-history', 70.5, 'succeeded'),
        run('ecb-daily', 70, 'succeeded'),
        run('ecb-daily', 30, 'failed', 'gateway'),
        run('ecb-daily', 29, 'running'),
        run('ecb-history', 5, 'failed'),
      ],
    })
    const check = { job: 'candles', term: 1n, startedAt: at(20), nextAttemptAt: null, detail: null }
    await database.prisma.jobRun.createMany({
      data: [
        { ...check, dueAt: at(48), coversTo: at(48), status: 'succeeded', attempt: 1, finishedAt: at(47.9) },
        { ...check, dueAt: at(20), coversTo: at(18), status: 'succeeded', attempt: 4, finishedAt: at(17) },
        {
          ...check,
          job: 'other',
          dueAt: at(20),
          coversTo: at(18),
          status: 'succeeded',
          attempt: 4,
          finishedAt: at(17),
        },
      ],
    })
  })
  afterAll(async () => {
    await app?.close()
    await database?.close()
  })

  it('last from the first failed run of a feed to the end of its next success, newest first, without the errors', async () => {
    const { data, total } = await list()
    expect(total).toBe(4)
    const text = (hoursAgo: number) => at(hoursAgo).toISOString()
    expect(
      data.map(({ feed, started_at, ended_at, failed_runs, cause }) => [
        feed,
        started_at,
        ended_at,
        failed_runs,
        cause,
      ]),
    ).toEqual([
      ['ecb-history', text(5), null, 1, null],
      ['candles', text(20), text(17), 3, null],
      ['ecb-daily', text(30), null, 1, 'gateway'],
      ['ecb-daily', text(72), text(69.5), 2, 'provider'],
    ])
    expect(data[0]).toMatchObject({ dataset: 'forex', kind: 'runs_failed', source: 'ecb' })
    expect(data[1]).toMatchObject({ dataset: 'candles', source: null })
    expect(JSON.stringify(data)).not.toMatch(/secret|a\.test/)
  })

  it('come in pages, and alike through GraphQL in one statement for the failures', async () => {
    const page = await list('?limit=1&offset=1')
    expect([page.data.map(({ feed }) => feed), page.total]).toEqual([['candles'], 4])
    expect((await app.rest('/v1/incidents?limit=101')).status).toBe(422)
    const { body } = await app.graphql<{ incidents: Incidents }>(
      '{ incidents { total data { feed failed_runs } } }',
    )
    expect(body.data?.incidents).toEqual({
      total: 4,
      data: (await list()).data.map(({ feed, failed_runs }) => ({ feed, failed_runs })),
    })
  })

  it('include a live dataset that is late now, and no synthetic one', async () => {
    const change = { observedAt: at(10 * 24), changedAt: at(10 * 24) }
    await database.transaction(async (tx) => {
      await bumpDataset(tx, { dataset: 'supply', source: 'a', isDevDataset: false, ...change })
      await bumpDataset(tx, { dataset: 'protocols', source: 'seed', isDevDataset: true, ...change })
    })
    app.clock.advance(61_000)
    const late = (await list()).data.filter(({ kind: one }) => one === 'data_late')
    expect(late).toEqual([
      {
        dataset: 'supply',
        kind: 'data_late',
        feed: null,
        source: null,
        started_at: at(10 * 24 - 24).toISOString(),
        ended_at: null,
        failed_runs: null,
        cause: null,
      },
    ])
  })

  it('are seen in the days of a dataset; nothing is said of a day without a run', async () => {
    const { body } = await app.graphql<{
      datasets: { data: readonly { dataset: string; days: readonly { date: string; outcome: string }[] }[] }
    }>('{ datasets { data { dataset days { date outcome } } } }')
    expect(body.errors).toBeUndefined()
    const daysOf = (name: string) => body.data?.datasets.data.find(({ dataset }) => dataset === name)?.days
    const day = (hoursAgo: number) => at(hoursAgo).toISOString().slice(0, 10)
    expect(daysOf('forex')).toEqual([
      { date: day(80), outcome: 'partly_failed' },
      { date: day(30), outcome: 'failed' },
      { date: day(5), outcome: 'failed' },
    ])
    expect(daysOf('candles')).toEqual([
      { date: day(48), outcome: 'succeeded' },
      { date: day(20), outcome: 'partly_failed' },
    ])
    expect(daysOf('supply')).toEqual([])
  })
})
