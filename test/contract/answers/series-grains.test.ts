import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decimal, decimalText } from '../../../src/core/decimal.js'
import { parseIsoDate } from '../../../src/core/time.js'
import type { MacroFact, MacroSeries } from '../../../src/domains/macro/model.js'
import { macroSink } from '../../../src/ingest/datasets/macro/ingestion.js'
import { writeDataset } from '../../../src/ingest/run/write-dataset.js'
import { seedProvider } from '../../../src/ingest/seed/values/seed-provider.js'
import type { Database } from '../../../src/platform/database/database.js'
import { watchValidity } from '../../support/app/answer-validity.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { SEEN_AFTER_MS } from '../../support/app/kept-answers.js'
import { availableDatabases, openTestDatabase, SEEDED_AT } from '../../support/database/database.js'

const CREDIT = '/v1/macro/bis/WS_TC/Q.US.P.A.M.770.A'
/** First days of quarters. */
const DAYS: readonly string[] = ['2025-01-01', '2025-04-01']

const inUrl = (query: string) => `/graphql?query=${encodeURIComponent(query)}`
const creditWith = (members: string) =>
  inUrl(`{ bis_series(dataset_code: "WS_TC", series_key: "Q.US.P.A.M.770.A", limit: 3) { ${members} } }`)

interface Aged {
  readonly meta: { readonly computed_at: string }
  readonly _meta: { readonly last_updated_at: string }
}

describe.each(availableDatabases())('a commit to series of one dataset of the BIS on %s', (kind) => {
  let database: Database
  let clock: TestClock
  let app: TestApp
  let other: TestApp
  let keepless: TestApp
  let key: string
  beforeAll(async () => {
    database = await openTestDatabase(kind, 'seeded')
    clock = new TestClock(SEEDED_AT)
    app = await startTestApp(kind, { database, clock })
    other = await startTestApp(kind, { database, clock })
    keepless = await startTestApp(kind, { database, clock, env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'enterprise' })
    await write('WS_DSR', 'Q.US.P')
  })
  afterAll(async () => {
    await Promise.all([app, other, keepless].map((one) => one?.close()))
    await database?.close()
  })
  const { survives } = watchValidity(() => ({ app, other, keepless, key }))

  let value = 100
  /** Writes new values of a series, as a run does. If they are the whole series, its other periods are withdrawn. */
  async function write(dataset: string, seriesKey: string, days = DAYS, isOfWholeSeries = false) {
    value += 1
    const series: MacroSeries = {
      provider: 'bis',
      dataset,
      seriesKey,
      country: 'US',
      unit: null,
      frequency: 'quarterly',
      description: null,
      isHeadline: true,
    }
    const facts = days.map((day): MacroFact => {
      const amount = decimalText(decimal(String(value)))
      return { series, periodStart: parseIsoDate(day), value: amount, isOfWholeSeries }
    })
    const target = { dataset: 'bis', provider: seedProvider, sink: macroSink('bis') } as const
    const counts = await database.transaction((tx) => writeDataset(tx, target, [facts], clock.now()))
    expect(counts.added + counts.revised).toBe(days.length)
    clock.advance(SEEN_AFTER_MS)
  }

  it.each([
    ['a series', CREDIT],
    ['GraphQL', creditWith('data { period value revisions { known_from } } series { is_discontinued }')],
  ])('leaves %s of another dataset valid on every node', async (_what, path) => {
    expect(await survives(path, () => write('WS_DSR', 'Q.US.P'))).toBe(true)
  })

  it('leaves it valid too if periods are withdrawn', async () => {
    const rewrite = async (dataset: string) => {
      await write(dataset, 'Q.NEW')
      await write(dataset, 'Q.NEW', DAYS.slice(1), true)
      const withdrawn = await database.rows(
        `select 1 from macro_observation join macro_series using (series_id)
         where is_withdrawn and dataset = $1 and series_key = 'Q.NEW'`,
        [dataset],
      )
      expect(withdrawn).toHaveLength(1)
    }
    expect(await survives(CREDIT, () => rewrite('WS_SPP'))).toBe(true)
    expect(await survives(CREDIT, () => rewrite('WS_TC'))).toBe(false)
  })

  it.each([
    ['its series', CREDIT],
    ['its series by GraphQL', creditWith('data { value }')],
    ['the catalogue', '/v1/macro/bis/countries'],
  ])('outdates %s', async (_what, path) => {
    expect(await survives(path, () => write('WS_TC', 'Q.US.P.A.M.770.A'))).toBe(false)
  })

  it.each([
    ['the series of its country', creditWith('country { series { unit } }')],
    ['the series of its dataset', creditWith('meta { dataset { series(limit: 1) { unit } } }')],
    ['observations of any series', creditWith('series { observations(limit: 1) { value } }')],
  ])('outdates an answer with %s', async (_what, path) => {
    expect(await survives(path, () => write('WS_DSR', 'Q.US.P'))).toBe(false)
  })

  it('shows in the age of the answers about its dataset alone', async () => {
    await write('WS_TC', 'Q.US.P.A.M.770.A')
    const before = await keepless.rest<Aged>(CREDIT, { key })
    clock.advance(60_000)
    await write('WS_DSR', 'Q.US.P')
    const after = await keepless.rest<Aged>(CREDIT, { key })
    expect(after.body.meta).toEqual(before.body.meta)
    expect(after.body._meta.last_updated_at).toBe(before.body._meta.last_updated_at)
    const debt = await keepless.rest<Aged>('/v1/macro/bis/WS_DSR/Q.US.P', { key })
    expect(debt.body.meta.computed_at > after.body.meta.computed_at).toBe(true)
  })
})
