import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAsOf } from '../../../src/core/as-of.js'
import { sha256Hex } from '../../../src/core/canonical-json.js'
import { fixedClock, parseIsoDate } from '../../../src/core/time.js'
import { loadCurrencies, loadRates } from '../../../src/domains/forex/store.js'
import { BrokenBody, IngestError } from '../../../src/ingest/feed.js'
import { findFeed } from '../../../src/ingest/registry.js'
import { type RunDeps, runFeed } from '../../../src/ingest/run/run-feed.js'
import { seedWorld } from '../../../src/ingest/seed/seed-world.js'
import type { Database } from '../../../src/platform/database/database.js'
import { UpstreamError } from '../../../src/platform/http-client/upstream-error.js'
import { createLogger } from '../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { emptiedOfFew } from '../../support/database/emptied.js'
import { keptTables } from '../../support/database/kept-tables.js'

const T1 = '2026-11-20T15:30:00.000Z'
const T2 = '2026-11-20T16:30:00.000Z'
const history = findFeed('ecb-history')
const log = createLogger('silent')
const csv = (...lines: readonly string[]) => ({
  kind: 'bytes' as const,
  bytes: new TextEncoder().encode(`${['Date,USD,JPY,', ...lines].join('\n')}\n`),
  origin: 'test',
})
const day = (text: string) => parseIsoDate(text) ?? expect.fail(`${text} is not a date`)

describe.each(availableDatabases())('runFeed on %s', (kind) => {
  let database: Database
  let seedForex: () => Promise<unknown>
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    seedForex = keptTables(database, ['forex_rate', 'ingest_run', 'dataset_state'], () =>
      seedWorld(database, SEEDED_AT, ['forex']),
    )
  })
  beforeEach(() =>
    emptiedOfFew(database, ['forex_rate', 'instrument', 'asset', 'ingest_run', 'dataset_state']),
  )
  afterAll(() => database.close())

  const deps = (
    at: string,
    fetchBody: RunDeps['fetchBody'] = () => expect.fail('nothing is fetched'),
  ): RunDeps => ({
    database,
    clock: fixedClock(at),
    fetchBody,
    log,
  })
  const rates = async (quote: string, asOf: Date | null = null) =>
    (
      await loadRates(database, {
        quotes: [quote],
        from: day('1999-01-04'),
        to: day('2026-12-31'),
        asOf: createAsOf(asOf),
      })
    ).get(quote)
  const state = async () =>
    (
      await database.rows(
        'select version, source, is_dev_dataset, observed_at, changed_at from dataset_state',
      )
    )[0]
  const ledger = () =>
    database.rows<Record<string, unknown>>(
      `select feed, provider, dataset, status, origin, body_sha256, body_bytes, added, revised, unchanged, rejected,
         rejections, error, finished_at from ingest_run order by started_at, run_id`,
    )

  it('writes rows, ledger and version together and reports the counts', async () => {
    const source = csv('2026-11-19,1.16,183.03,', '2026-11-18,-1,183.5,')
    const summary = await runFeed(deps(T1), history, source)
    expect(summary).toMatchObject({
      rows: 3,
      added: 3,
      revised: 0,
      unchanged: 0,
      rejected: 1,
      removedSeed: 0,
    })
    const rejections = [{ position: 'line 3, USD', reason: '"-1" is negative, but a rate is above zero' }]
    expect(summary.rejections).toEqual(rejections)
    expect(await rates('USD')).toEqual([{ date: '2026-11-19', rate: 1.16 }])
    expect(await state()).toEqual({
      version: 1,
      source: 'ecb',
      is_dev_dataset: false,
      observed_at: new Date('2026-11-19T15:00:00Z'),
      changed_at: new Date(T1),
    })
    expect(await ledger()).toEqual([
      {
        feed: 'ecb-history',
        provider: 'ecb',
        dataset: 'forex',
        status: 'succeeded',
        origin: 'test',
        body_sha256: sha256Hex(source.bytes),
        body_bytes: source.bytes.length,
        added: 3,
        revised: 0,
        unchanged: 0,
        rejected: 1,
        rejections,
        error: null,
        finished_at: new Date(T1),
      },
    ])
  })

  it('changes nothing, not even the version, when the same body comes again', async () => {
    const source = csv('2026-11-19,1.16,183.03,')
    await runFeed(deps(T1), history, source)
    const again = await runFeed(deps(T2), history, source)
    expect(again).toMatchObject({ rows: 2, added: 0, revised: 0, unchanged: 2 })
    expect(await state()).toMatchObject({ version: 1, changed_at: new Date(T1) })
  })

  it('revises an old value, which is still returned as of before', async () => {
    await runFeed(deps(T1), history, csv('2026-11-19,1.16,183.03,'))
    const revision = await runFeed(deps(T2), history, csv('2026-11-19,1.17,183.03,'))
    expect(revision).toMatchObject({ added: 0, revised: 1, unchanged: 1 })
    expect(await rates('USD')).toEqual([{ date: '2026-11-19', rate: 1.17 }])
    expect(await rates('USD', new Date(T1))).toEqual([{ date: '2026-11-19', rate: 1.16 }])
    expect(await state()).toMatchObject({ version: 2, observed_at: new Date('2026-11-19T15:00:00Z') })
  })

  it('does not make the dataset older when an older file is read', async () => {
    await runFeed(deps(T1), history, csv('2026-11-19,1.16,183.03,'))
    await runFeed(deps(T2), history, csv('2026-07-01,1.10,170,'))
    expect(await state()).toMatchObject({ version: 2, observed_at: new Date('2026-11-19T15:00:00Z') })
  })

  it('keeps the first 100 rejections with their reasons and counts all', async () => {
    const lines = Array.from({ length: 6_000 }, (_, i) => `day ${i},1,2,`)
    const summary = await runFeed(deps(T1), history, csv(...lines, '2026-11-19,1.16,183.03,'))
    expect(summary).toMatchObject({ rows: 2, added: 2, rejected: 6_000 })
    expect(summary.rejections.length).toBe(100)
    expect(summary.rejections.at(-1)?.position).toBe('line 101')
  })

  it.each([
    ['an HTML page', '<html>Sorry</html>', 'the body is HTML or XML, not CSV'],
    ['an empty body', '', 'the body is empty'],
    [
      'a body that breaks in the middle',
      `Date,USD,\n2026-11-19,1.16,\n${'2026-11-18,1.1,\n'.repeat(40_000)}"x`,
      'the text is not CSV',
    ],
  ])('leaves only a ledger entry of %s', async (_, text, reason) => {
    await runFeed(deps(T1), history, csv('2026-11-19,1.2,183.03,'))
    const run = runFeed(deps(T2), history, { kind: 'bytes', bytes: Buffer.from(text), origin: 'test' })
    await expect(run).rejects.toThrow(BrokenBody)
    await expect(run).rejects.toThrow(reason)
    expect(await rates('USD')).toEqual([{ date: '2026-11-19', rate: 1.2 }])
    expect(await state()).toMatchObject({ version: 1 })
    const failed = (await ledger())[1]
    expect(failed).toMatchObject({
      status: 'failed',
      added: 0,
      finished_at: new Date(T2),
      body_bytes: text.length,
    })
    expect(failed?.error).toContain(reason)
  })

  it('leaves nothing of an interrupted run, and no secret in the ledger', async () => {
    const broken = {
      ...history,
      sink: {
        ...history.sink,
        newest: () => {
          throw new Error('lost postgresql://user:hunter2@db/x\nmdg_live_abcdefgh')
        },
      },
    }
    await expect(runFeed(deps(T1), broken, csv('2026-11-19,1.2,183.03,'))).rejects.toThrow('lost')
    expect(await rates('USD')).toEqual([])
    expect(await state()).toBeUndefined()
    expect(await ledger()).toMatchObject([
      { status: 'failed', added: 0, error: 'Error: lost postgresql://[redacted]@db/x mdg_[redacted]' },
    ])
  })

  it('marks runs of a dead process as failed when the feed runs next', async () => {
    await database.rows(
      `insert into ingest_run (run_id, feed, provider, dataset, started_at, status, origin)
       values (gen_random_uuid(), 'ecb-history', 'ecb', 'forex', '2026-11-20T12:00:00Z', 'running', 'x')`,
    )
    await runFeed(deps(T1), history, csv('2026-11-19,1.2,183.03,'))
    expect(await ledger()).toMatchObject([
      { status: 'failed', error: 'the process ended during the run' },
      { status: 'succeeded' },
    ])
  })

  it('fetches the request of the feed, and reports clearly if the source fails', async () => {
    const asked: string[] = []
    const fetched = await runFeed(
      deps(T1, async ({ url }) => {
        asked.push(url)
        return csv('2026-11-19,1.16,183.03,').bytes
      }),
      history,
      { kind: 'live' },
    )
    expect(fetched.added).toBe(2)
    expect(asked).toEqual(['https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip'])
    const down = deps(T2, () => Promise.reject(new UpstreamError('timeout', 'it did not answer')))
    const run = runFeed(down, history, { kind: 'live' })
    await expect(run).rejects.toThrow(
      new IngestError('the live source of ecb-history failed: it did not answer'),
    )
    expect((await ledger())[1]).toMatchObject({ status: 'failed', origin: asked[0], body_bytes: null })
  })

  it('reports a missing file, and names it without its directory in the ledger', async () => {
    const run = runFeed(deps(T1), history, { kind: 'file', path: '/nowhere/rates.csv' })
    await expect(run).rejects.toThrow('/nowhere/rates.csv cannot be read: the file does not exist')
    expect(await ledger()).toMatchObject([{ status: 'failed', origin: 'rates.csv' }])
  })

  it('replaces the synthetic rows by the first live ones, and they never return', async () => {
    await seedForex()
    const first = await runFeed(deps(T1), history, csv('2026-11-19,1.16,183.03,'))
    expect(first).toMatchObject({ added: 2, removedSeed: 36_479 })
    expect(await database.rows('select source, count(*) as rows from forex_rate group by source')).toEqual([
      { source: 'ecb', rows: 2 },
    ])
    expect((await runFeed(deps(T2), history, csv('2026-11-18,1.15,183,'))).removedSeed).toBe(0)
    expect((await seedWorld(database, new Date(T2), ['forex'])).forex).toBeNull()
    expect(await loadCurrencies(database, null)).toEqual([
      { quote: 'JPY', firstDate: '2026-11-18', lastDate: '2026-11-19' },
      { quote: 'USD', firstDate: '2026-11-18', lastDate: '2026-11-19' },
    ])
  })

  it('fails and keeps the synthetic rows if a live body has no good row', async () => {
    await seedForex()
    await expect(runFeed(deps(T1), history, csv('2026-11-19,x,y,'))).rejects.toThrow(
      /none of its 2 rows can be used; line 2.*: /,
    )
    const [run] = await database.rows("select status, error from ingest_run where provider <> 'seed'")
    expect(run).toMatchObject({ status: 'failed', error: expect.stringContaining('none of its 2 rows') })
    const [row] = await database.rows("select version, source from dataset_state where dataset = 'forex'")
    expect(row).toEqual({ version: 3, source: 'seed' })
    expect((await loadCurrencies(database, null)).length).toBe(30)
  })

  it('refuses synthetic rows in a live dataset', async () => {
    await runFeed(deps(T1), history, csv('2026-11-19,1.16,183.03,'))
    const seedFeed = {
      ...history,
      feed: { ...history.feed, id: 'seed-x', provider: { ...history.feed.provider, id: 'seed' } },
    }
    await expect(runFeed(deps(T2), seedFeed, csv('2026-11-18,1.1,180,'))).rejects.toThrow(
      'forex holds live data of ecb; synthetic rows are not mixed into it',
    )
    expect(await rates('USD')).toEqual([{ date: '2026-11-19', rate: 1.16 }])
  })

  it.runIf(kind === 'postgres')('runs two simultaneous runs one after another', async () => {
    const source = csv('2026-11-19,1.16,183.03,')
    const summaries = await Promise.all([1, 2].map(() => runFeed(deps(T1), history, source)))
    expect(summaries.map(({ added, unchanged }) => [added, unchanged]).sort()).toEqual([
      [0, 2],
      [2, 0],
    ])
  })
})
