import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedClock } from '../../../src/core/time.js'
import { assetOnchainSink } from '../../../src/ingest/datasets/onchain-metrics/ingestion.js'
import { type BoundFeed, bindFeed } from '../../../src/ingest/feed.js'
import { coinMetricsFeed } from '../../../src/ingest/providers/coinmetrics/asset-csv.js'
import { findFeed } from '../../../src/ingest/registry.js'
import { usualSourceOf } from '../../../src/ingest/run/feed-body.js'
import { runFeed } from '../../../src/ingest/run/run-feed.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { emptiedOfFew } from '../../support/database/emptied.js'
import { runOperatorFile } from '../../support/ingest/run-group.js'

const MONDAY = new Date('2026-11-23T10:30:00Z')
const TUESDAY = new Date('2026-11-24T10:30:00Z')

describe.each(availableDatabases())('rows that contradict each other, on %s', (kind) => {
  let database: Database
  const deps = (now: Date) => ({
    database,
    clock: fixedClock(now),
    log: createLogger('silent'),
    fetchBody: () => expect.fail('nothing is fetched'),
  })
  const bytesOf = (...lines: readonly string[]) =>
    ({ kind: 'bytes', bytes: new TextEncoder().encode(`${lines.join('\n')}\n`), origin: 'test' }) as const
  const run = (bound: BoundFeed, now: Date, ...lines: readonly string[]) =>
    runFeed(deps(now), bound, bytesOf(...lines))

  beforeAll(async () => {
    database = await openTestDatabase(kind)
    const reference = findFeed('reference')
    await runFeed(deps(MONDAY), reference, usualSourceOf(reference.feed))
  })
  beforeEach(() =>
    emptiedOfFew(database, [
      'daily_price',
      'asset_onchain',
      'protocol_tvl',
      'asset_event',
      'asset_event_asset',
    ]),
  )
  afterAll(() => database?.close())

  it('of prices are not stored, and stored rows stay, in any order of the rows', async () => {
    const header = 'ticker,mic,date,close,currency'
    const prices = () =>
      database.rows(
        `select date::text, trim_scale(close)::text as close from daily_price where known_to is null order by date`,
      )
    const known = ['NVDA,XNAS,2026-01-28,1,USD', 'NVDA,XNAS,2026-01-29,2,USD']
    await runOperatorFile('prices', deps(MONDAY), bytesOf(header, ...known))
    const summary = await runOperatorFile(
      'prices',
      deps(TUESDAY),
      bytesOf(
        header,
        'NVDA,XNAS,2026-01-28,5,USD',
        'NVDA,XNAS,2026-01-29,2,USD',
        'NVDA,XNAS,2026-01-30,3,USD',
        'NVDA,XNAS,2026-02-02,4,USD',
        'NVDA,XNAS,2026-01-28,6,USD',
        'NVDA,XNAS,2026-01-29,7,USD',
        'NVDA,XNAS,2026-01-30,3,EUR',
        'NVDA,XNAS,2026-02-02,4,USD',
        'NVDA,XNAS,2026-01-30,3,USD',
      ),
    )
    expect(summary).toMatchObject({ read: 9, added: 1, revised: 0, unchanged: 0, rejected: 7, absent: 1 })
    expect(await prices()).toEqual([
      { date: '2026-01-28', close: '1' },
      { date: '2026-01-29', close: '2' },
      { date: '2026-02-02', close: '4' },
    ])
  })

  it('of a file of Coin Metrics are not stored, and stored rows stay', async () => {
    const bound = bindFeed(
      coinMetricsFeed({ assetId: 1, slug: 'bitcoin', ticker: 'BTC' }),
      assetOnchainSink,
    ) as BoundFeed // rows of its own type
    const days = () =>
      database.rows(
        `select snapshot_date::text as day, tx_count::int as count from asset_onchain where known_to is null order by 1`,
      )
    await run(bound, MONDAY, 'time,TxCnt', '2026-01-01,1')
    const summary = await run(
      bound,
      TUESDAY,
      'time,TxCnt',
      ...[
        '2026-01-01,2',
        '2026-01-02,2',
        '2026-01-03,3',
        '2026-01-01,1',
        '2026-01-02,4',
        '2026-01-03,3',
        '2026-01-04,',
      ],
    )
    expect(summary).toMatchObject({ read: 7, added: 1, revised: 0, unchanged: 0, rejected: 4, absent: 2 })
    expect(await days()).toEqual([
      { day: '2026-01-01', count: 1 },
      { day: '2026-01-03', count: 3 },
    ])
  })

  it('of DefiLlama are not stored, in any order', async () => {
    const entry = (slug: string, tvl: number) => `{"name":"${slug}","slug":"${slug}","tvl":${tvl}}`
    const body = `[${[entry('a', 1), entry('b', 2), entry('a', 3), entry('a', 1)].join()}]`
    const summary = await run(findFeed('defillama-protocols'), MONDAY, body)
    expect(summary).toMatchObject({ read: 4, added: 1, rejected: 3, absent: 0 })
    expect(await database.rows('select protocol_id from protocol_tvl')).toEqual([{ protocol_id: 'b' }])
  })

  it('of a file of events are not stored', async () => {
    const summary = await runOperatorFile(
      'events',
      deps(MONDAY),
      bytesOf(
        'event_id,event_type,date,title,assets,withdrawn',
        'x,halving,2024-04-20,A,bitcoin,',
        'y,halving,2024-04-20,B,bitcoin,',
        'x,halving,2024-04-21,A,bitcoin,',
        'z,halving,2024-04-20,C,bitcoin,',
        'z,,,,,yes',
      ),
    )
    expect(summary).toMatchObject({ read: 5, added: 1, rejected: 4 })
    expect(await database.rows('select title from asset_event')).toEqual([{ title: 'B' }])
  })

  it('of a file of assets are not stored', async () => {
    const header = 'slug,asset_id,ticker,name,asset_class,currency'
    const summary = await runOperatorFile(
      'instruments',
      deps(MONDAY),
      bytesOf(
        header,
        'one,1000001,ONE,One,crypto,USD',
        'two,1000002,TWO,Two,crypto,USD',
        'one,1000003,ONE,One,crypto,USD',
        'three,1000004,T3,Three,crypto,USD',
        'four,1000004,T4,Four,crypto,USD',
      ),
    )
    expect(summary).toMatchObject({ read: 5, added: 1, rejected: 4 })
    expect(await database.rows(`select slug from asset where asset_id > 1000000`)).toEqual([{ slug: 'two' }])
  })
})
