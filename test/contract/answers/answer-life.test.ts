import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'
import { loadDatasetState } from '../../../src/platform/database/versions/dataset-states-store.js'
import { type Answer, startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { plainBody, wasKept } from '../../support/app/kept-answers.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'

const inUrl = (query: string) => `/graphql?query=${encodeURIComponent(query)}`
const at = (time: string) => new Date(`2026-${time}Z`)

/** Scopes without history:full, so that what is too old is refused. */
const SCOPES = ['ai:read', 'ohlcv:intraday', 'instruments:read'] as const

const AGED = '_meta { data_freshness_seconds freshness_status next_refresh_at }'

/** Every way in which an answer depends on the clock; the seeded analyses reach back 85 days. */
const QUESTIONS: readonly string[] = [
  '/v1/assets?limit=2&tier=1',
  '/v1/assets?limit=2&tier=2',
  '/v1/assets?limit=1&tier=3',
  '/v1/assets?limit=2&asset_class=stock',
  '/v1/assets/bitcoin/ohlcv',
  '/v1/assets/bitcoin/ohlcv?timeframe=1h&limit=3',
  '/v1/assets/bitcoin/ohlcv?from=2025-11-20T00:00:00Z&limit=3',
  '/v1/assets/bitcoin/ohlcv?from=2026-11-20T00:00:00Z&to=2026-12-20T00:00:00Z',
  '/v1/forex?quote=USD',
  '/v1/forex?quote=USD&from=2026-11-19&to=2026-12-01',
  '/v1/assets/bitcoin/ai',
  '/v1/assets/bitcoin/ai-analysis/latest',
  '/v1/assets/bitcoin/ai-analysis/history?limit=50',
  '/v1/assets/bitcoin/ai-analysis/history?limit=2',
  '/v1/assets/bitcoin/ai-analysis/history?as_of=2026-08-25T12:00:00Z&limit=1',
  '/v1/assets/bitcoin/ai-analysis/history/diff',
  '/v1/ai-analysis/changes?limit=3',
  inUrl(
    `{ assets(limit: 2, tier: 1) { data { ticker ohlcv(limit: 2) { candles { ts } } ai_analysis_latest { ${AGED} } } } }`,
  ),
  inUrl(
    `{ asset(id: "bitcoin") { data { ai_analysis_history(limit: 50) { total items { generated_at } } } ${AGED} } }`,
  ),
  inUrl(
    `{ forex(quote: "USD") { data { date } ${AGED} } ohlcv(id: "bitcoin", limit: 1) { data { candles { ts } } } }`,
  ),
  inUrl('{ ai_analysis_changes(limit: 2) { items { asset { ticker price_consensus_usd last_updated } } } }'),
  inUrl('{ ai_analysis_changes(limit: 100) { items { from_snapshot { snapshot_id generated_at } } } }'),
]

/** Around every instant at which one of these answers becomes another. */
const INSTANTS: readonly Date[] = [
  [
    '11-20T12:00:00.000',
    '11-20T12:00:01.000',
    '11-20T12:59:59.999',
    '11-20T13:00:00.000',
    '11-20T13:00:00.001',
  ],
  [
    '11-20T14:59:59.999',
    '11-20T15:00:00.000',
    '11-20T15:00:00.001',
    '11-20T18:00:00.000',
    '11-20T18:00:00.001',
  ],
  [
    '11-20T23:59:59.999',
    '11-21T00:00:00.000',
    '11-21T00:00:00.001',
    '11-21T06:00:00.001',
    '11-22T00:00:00.001',
  ],
  [
    '11-23T11:59:59.999',
    '11-23T12:00:00.000',
    '11-23T12:00:00.001',
    '11-25T11:59:59.999',
    '11-25T12:00:00.000',
  ],
  ['11-25T12:00:00.001', '12-01T00:00:00.000', '12-20T00:00:00.000', '12-31T23:59:59.999'],
]
  .flat()
  .map(at)

const statusOf = ({ body }: Answer) =>
  (body as { _meta: { freshness_status: string } })._meta.freshness_status
const ageOf = ({ body }: Answer) =>
  (body as { _meta: { data_freshness_seconds: number } })._meta.data_freshness_seconds
const etagOf = ({ headers }: Answer) => headers.get('etag') ?? ''

describe.each([quickestDatabase()])('a cached answer on %s, over time', (kind) => {
  let app: TestApp
  /** The same without a memory: what it answers is true. */
  let keepless: TestApp
  let clock: TestClock
  let key: string
  beforeAll(async () => {
    const database = await openTestDatabase(kind, 'seeded')
    clock = new TestClock(SEEDED_AT)
    app = await startTestApp(kind, { database, clock })
    keepless = await startTestApp(kind, { database, clock, env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'pro', scopes: SCOPES })
  })
  afterAll(async () => {
    await Promise.all([app, keepless].map((one) => one?.close()))
    await app?.database.close()
  })

  const ask = (path: string, headers = {}) => app.rest(path, { key, headers })
  const moveTo = (instant: Date) => clock.advance(instant.getTime() - clock.now().getTime())

  it('equals a new answer at every instant, and is revalidated only while it does', {
    timeout: 180_000,
  }, async () => {
    /** Tags by question, with what they were given for. */
    const tags = new Map<string, Map<string, string>>()
    let kept = 0
    let revalidated = 0
    for (const instant of INSTANTS) {
      moveTo(instant)
      for (const path of QUESTIONS) {
        const truth = await keepless.rest(path, { key })
        const expected = [instant.toISOString(), path, truth.status, plainBody(truth)]
        for (const answer of [await ask(path), await ask(path)]) {
          expect([instant.toISOString(), path, answer.status, plainBody(answer)]).toEqual(expected)
          kept += wasKept(app, answer) ? 1 : 0
        }
        const known = tags.get(path) ?? new Map<string, string>()
        tags.set(path, known)
        const lasting = JSON.stringify(plainBody(truth)).replaceAll(/"data_freshness_seconds":\d+/g, '')
        // The last few: those before have ended long ago.
        for (const [tag, text] of [...known].slice(-3)) {
          const { status } = await ask(path, { 'if-none-match': tag })
          // A tag may end early, never late.
          if (status === 304)
            expect([instant.toISOString(), path, text]).toEqual([instant.toISOString(), path, lasting])
          revalidated += status === 304 ? 1 : 0
        }
        if (etagOf(truth) !== '') known.set(etagOf(truth), lasting)
      }
    }
    expect(kept).toBeGreaterThan((INSTANTS.length * QUESTIONS.length) / 2)
    expect(revalidated).toBeGreaterThan(100)
  })

  it('tells its age by the clock', async () => {
    moveTo(at('11-20T12:00:00.000'))
    const first = await ask('/v1/forex?quote=JPY')
    for (const seconds of [1, 2, 60, 3_600]) {
      moveTo(new Date(SEEDED_AT.getTime() + seconds * 1_000))
      const answer = await ask('/v1/forex?quote=JPY')
      expect([wasKept(app, answer), ageOf(answer) - ageOf(first)]).toEqual([true, seconds])
      expect(answer.headers.get('etag')).toBe(etagOf(first))
    }
  })

  it('may be cached by clients until newer facts are due, and for at most an hour if it is synthetic', async () => {
    moveTo(at('11-20T12:00:00.000'))
    const lives: (string | null)[] = []
    for (const seconds of [0, 1, 10_798, 1, 1]) {
      clock.advance(seconds * 1_000)
      lives.push((await ask('/v1/forex?quote=CAD')).headers.get('cache-control'))
    }
    const uses = ['max-age=3600', 'max-age=3600', 'max-age=1', 'no-cache', 'no-cache']
    expect(lives).toEqual(uses.map((use) => `private, ${use}`))
  })

  it('has another status and tag after its refresh is due', async () => {
    moveTo(at('11-20T15:00:00.000'))
    const fresh = [await ask('/v1/forex?quote=AUD'), await ask('/v1/forex?quote=AUD')]
    expect(fresh.map((answer) => [wasKept(app, answer), statusOf(answer)])).toEqual([
      [false, 'fresh'],
      [true, 'fresh'],
    ])
    clock.advance(1)
    const stale = await ask('/v1/forex?quote=AUD', { 'if-none-match': etagOf(fresh[0] as Answer) })
    expect([stale.status, wasKept(app, stale), statusOf(stale)]).toEqual([200, false, 'stale'])
    expect(etagOf(stale)).not.toBe(etagOf(fresh[0] as Answer))
  })

  it('describes another day after midnight if the request names none', async () => {
    const tomorrow = '2026-11-21'
    await app.database.transaction(async (tx) => {
      await tx.rows(
        `insert into forex_rate (quote, date, rate, known_from, source) values ('USD', $1::date, 9, $2, 'seed')`,
        [tomorrow, SEEDED_AT],
      )
      const state = await loadDatasetState(tx, 'forex')
      if (state === null) throw new Error('the world has forex')
      await bumpDataset(tx, { ...state, changedAt: SEEDED_AT })
    })
    const lastDay = ({ body }: Answer) => (body as { data: { date: string }[] }).data.at(-1)?.date
    moveTo(at('11-20T23:59:59.999'))
    const before = [await ask('/v1/forex?quote=USD&base=EUR'), await ask('/v1/forex?quote=USD&base=EUR')]
    expect(before.map((answer) => [wasKept(app, answer), lastDay(answer)])).toEqual([
      [false, '2026-11-19'],
      [true, '2026-11-19'],
    ])
    clock.advance(1)
    expect(lastDay(await ask('/v1/forex?quote=USD&base=EUR'))).toBe(tomorrow)
  })

  it('has another window once a window has ended', async () => {
    const lastWindow = ({ body }: Answer) =>
      (body as { data: { candles: { ts: string }[] } }).data.candles.at(-1)?.ts
    const daily = '/v1/assets/ethereum/ohlcv?limit=2'
    const hourly = '/v1/assets/ethereum/ohlcv?limit=2&timeframe=1h'
    moveTo(at('11-20T23:59:59.999'))
    for (const [path, last] of [
      [daily, '2026-11-19T00:00:00.000Z'],
      [hourly, '2026-11-20T22:00:00.000Z'],
    ] as const) {
      const answers = [await ask(path), await ask(path)]
      expect(answers.map((answer) => [wasKept(app, answer), lastWindow(answer)])).toEqual([
        [false, last],
        [true, last],
      ])
    }
    clock.advance(1)
    expect([lastWindow(await ask(daily)), lastWindow(await ask(hourly))]).toEqual([
      '2026-11-20T00:00:00.000Z',
      '2026-11-20T23:00:00.000Z',
    ])
  })

  it.each([
    [
      'candles of 365 days ago',
      '/v1/assets/ethereum/ohlcv?from=2025-11-20&limit=4',
      at('11-21T00:00:00.000'),
    ],
    ['analyses of 90 days ago', '/v1/assets/ethereum/ai-analysis/history?limit=4', at('11-25T12:00:00.001')],
    [
      'what was known 90 days ago',
      // Without an analysis, so that only the instant itself can be too old.
      '/v1/assets/usdc/ai-analysis/history?analysis_type=regime&limit=1&as_of=2026-08-25T00:00:00Z',
      at('11-23T00:00:00.001'),
    ],
  ])('is refused once its range reaches too far back: %s', async (_what, path, refusedAt) => {
    moveTo(new Date(refusedAt.getTime() - 1))
    const held = [await ask(path), await ask(path)]
    expect(held.map((answer) => [answer.status, wasKept(app, answer)])).toEqual([
      [200, false],
      [200, true],
    ])
    clock.advance(1)
    const refused = await ask(path, { 'if-none-match': etagOf(held[0] as Answer) })
    expect([refused.status, (refused.body as { required_scope: string }).required_scope]).toEqual([
      403,
      'history:full',
    ])
    const full = await app.newKey({ tier: 'pro' })
    expect((await app.rest(path, { key: full })).status).toBe(200)
  })
})
