import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/core/errors.js'
import type { Database } from '../../../src/platform/database/database.js'
import { draft, land } from '../../domains/analysis/analysis-world.js'
import {
  type Answer,
  type GraphQLAnswer,
  startTestApp,
  type TestApp,
  TestClock,
} from '../../support/app/app.js'
import { SEEN_AFTER_MS, wasKept } from '../../support/app/kept-answers.js'
import { availableDatabases, openTestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { REVISED, reviseRates, valuesOf } from '../../support/database/forex-revisions.js'
import { interposed } from '../../support/database/interposed-database.js'

interface Rates {
  readonly ended_on?: string | null
  readonly data: readonly { readonly date: string; readonly rate: number }[]
}

const RANGE = 'from: "2026-10-25", to: "2026-11-20"'
const root = (quote: string, wanted = '') =>
  `${quote}: forex(quote: "${quote}", ${RANGE}) { data { date rate } ${wanted} }`
const ROOTS = REVISED.map((quote) => root(quote)).join(' ')

/** Every revision that an answer of several currencies holds. */
function revisionsIn(answer: Answer<GraphQLAnswer<Readonly<Record<string, Rates>>>>): readonly number[] {
  const { data } = answer.body
  if (!data) throw new Error(answer.text)
  return [...new Set(REVISED.flatMap((quote) => valuesOf(data[quote] ?? { data: [] })))]
}

describe.each(availableDatabases())('a commit while an answer is computed on %s', (kind) => {
  let database: Database
  let clock: TestClock
  let app: TestApp
  let key: string
  /** Runs before each statement that the application sends. */
  let before: (sql: string) => void | Promise<void> = () => {}
  beforeAll(async () => {
    database = await openTestDatabase(kind, 'seeded')
    clock = new TestClock(SEEDED_AT)
    app = await startTestApp(kind, { database: interposed(database, (sql) => before(sql)), clock })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(async () => {
    await app?.close()
    await database?.close()
  })
  let revision = 0
  beforeEach(async () => {
    before = () => {}
    await revise()
    clock.advance(SEEN_AFTER_MS)
  })

  async function revise(): Promise<void> {
    revision += 1
    await reviseRates(database, revision, clock.now())
  }

  /** Commits a revision between two statements of each of the first `runs` runs of an operation. */
  function reviseBetweenReads(runs: number): void {
    let reads = 0
    before = async (sql) => {
      if (!sql.includes('from forex_rate as f')) return
      reads += 1
      if (reads % REVISED.length === 2 && reads < runs * REVISED.length) await revise()
    }
  }

  const ask = (wanted: string) => app.graphql<Readonly<Record<string, Rates>>>(`{ ${wanted} }`, { key })

  it.each([1, 2])('that happens %i times is completely in the answer and in its version', async (runs) => {
    reviseBetweenReads(runs)
    const answer = await ask(ROOTS)
    expect(revisionsIn(answer)).toEqual([revision])
    before = () => {}
    const next = await ask(ROOTS)
    expect([wasKept(app, next), revisionsIn(next), next.headers.get('x-data-version')]).toEqual([
      true,
      [revision],
      answer.headers.get('x-data-version'),
    ])
  })

  it('at each attempt never appears in part', async () => {
    reviseBetweenReads(Number.POSITIVE_INFINITY)
    const answer = await ask(ROOTS)
    expect(revisionsIn(answer)).toHaveLength(1)
    before = () => {}
    // What was read from a snapshot may be kept, but only while it is the newest.
    expect(revisionsIn(await ask(ROOTS))).toEqual([revision])
  })

  it.each([
    [
      'an alias for what is written again',
      `${ROOTS} a: forex(quote: "USD") { _meta { age: data_freshness_seconds } }`,
    ],
    ['a field that is made from something else', `${ROOTS} usage { tier }`],
    ['a field that fails', `${ROOTS} asset(id: "nothing") { data { ticker } }`],
  ])('never appears in part, with %s', async (_what, wanted) => {
    reviseBetweenReads(1)
    expect(revisionsIn(await ask(wanted))).toHaveLength(1)
  })

  it('is charged once, however often the answer is computed', async () => {
    const owner = await app.newKey({ tier: 'pro' })
    reviseBetweenReads(2)
    const { body } = await app.graphql(`{ ${ROOTS} }`, { key: owner })
    expect(body.extensions?.cost).toEqual({ charged: 3, remaining: 13_886, values: expect.any(Number) })
  })

  it('determines the ended currencies together with their rates', async () => {
    const wanted = 'forex(quote: "BGN", from: "2025-12-01", to: "2026-11-20") { ended_on data { date rate } }'
    const read = async () => {
      const { body } = await ask(wanted)
      const { forex } = body.data ?? {}
      return [forex?.ended_on, forex?.data.at(-1)?.date]
    }
    expect(await read()).toEqual(['2025-12-31', '2025-12-31'])
    let isCommitted = false
    const comeback = async () => {
      isCommitted = true
      await database.rows(
        `insert into forex_rate (quote, date, rate, known_from, source) values ('BGN', '2026-11-20', 2, $1, 'seed')`,
        [clock.now()],
      )
      await revise()
    }
    // Another question, so that it is made; its arguments are checked before its first rate is read.
    const other = wanted.replace('2025-12-01', '2025-12-02')
    before = async (sql) => {
      if (sql.includes('from forex_rate as f') && sql.includes('between') && !isCommitted) await comeback()
    }
    await ask(other)
    expect(isCommitted).toBe(true)
    clock.advance(SEEN_AFTER_MS)
    const { body } = await ask(other)
    expect([body.data?.forex?.ended_on, body.data?.forex?.data.at(-1)?.date]).toEqual([null, '2026-11-20'])
  })

  it('appears in later answers even if the request that met it had started before', async () => {
    const path = '/v1/assets/bitcoin/ai-analysis/latest'
    let landed: string | undefined
    before = async (sql) => {
      // Known from a moment after the request came; the version that is read after its own reads has it already.
      if (!sql.includes('analysis_snapshot') || landed !== undefined) return
      clock.advance(5)
      const generatedAt = new Date(SEEDED_AT.getTime() + 1)
      const [snapshot] = await land(database, [draft({ generatedAt })], { knownAt: clock.now() })
      landed = snapshot?.snapshotId
    }
    expect((await app.rest(path, { key })).status).toBe(200)
    expect(landed).toBeDefined()
    clock.advance(1_000)
    const { body } = await app.rest<{ snapshot_id: string }>(path, { key })
    expect(body.snapshot_id).toBe(landed)
  })

  it('gives no answer rather than a partial one if the overlap is unknown', async () => {
    const owner = await app.newKey({ tier: 'pro' })
    let isMade = false
    before = (sql) => {
      if (sql.includes('from forex_rate as f')) isMade = true
      if (isMade && sql.includes('from dataset_state')) throw new ApiError('service_unavailable')
    }
    const path = '/v1/forex?quote=USD&from=2026-10-25&to=2026-11-18'
    const wanted = root('USD')
    const newerType = { accept: 'application/graphql-response+json' }
    const rest = await app.rest(path, { key: owner })
    isMade = false
    const graphql = await app.graphql(`{ ${wanted} }`, { key: owner, headers: newerType })
    expect([rest.status, (rest.body as { error: string }).error]).toEqual([503, 'service_unavailable'])
    expect(graphql.body.errors?.map(({ extensions }) => extensions.code)).toEqual(['SERVICE_UNAVAILABLE'])
    expect(graphql.status).toBe(503)
    before = () => {}
    const again = await app.rest<Rates>(path, { key: owner })
    expect([again.status, wasKept(app, again), valuesOf(again.body)]).toEqual([200, false, [revision]])
  })
})
