import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeInstruments } from '../../../src/domains/instruments/masters/masters-store.js'
import type { InstrumentFacts } from '../../../src/domains/instruments/model.js'
import type { Database } from '../../../src/platform/database/database.js'
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { SEEN_AFTER_MS } from '../../support/app/kept-answers.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'
import { createInstrument } from '../../support/instrument.js'

interface Index {
  readonly data: readonly { readonly asset_id: number; readonly slug: string; readonly is_active: boolean }[]
  readonly meta: { readonly total: number; readonly has_next: boolean }
}

const DAY_MS = 86_400_000

/** A catalogue of this size is the largest that the gateway has to serve. */
const LARGEST = 12_000

const fund = (number: number) =>
  createInstrument({
    assetId: 100_000 + number,
    slug: `a-fund-with-a-name-of-common-length-${number}`,
    ticker: `FUND${number}`,
    name: `A Fund With a Name of Common Length ${number}`,
  })

const SELECTION =
  'data { asset_id slug ticker name asset_class mic is_active is_confirmed } meta { total has_next }'

describe('GET /v1/assets/index and asset_index', () => {
  let database: Database
  let app: TestApp
  let key: string
  let statements: string[] = []
  const clock = new TestClock(SEEDED_AT)
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'seeded')
    const watched = interposed(database, (sql) => {
      if (/\bfrom asset\b/.test(sql)) statements.push(sql)
    })
    // Without a response cache every request reaches the service.
    app = await startTestApp(quickestDatabase(), { database: watched, clock, env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(async () => {
    await app?.close()
    await database?.close()
  })
  beforeEach(() => {
    statements = []
  })

  const get = async (query = '') => (await app.rest<Index>(`/v1/assets/index${query}`, { key })).body

  async function commit(facts: readonly InstrumentFacts[], knownAt: Date): Promise<void> {
    const state = { source: 'seed', isDevDataset: true, observedAt: knownAt, changedAt: clock.now() }
    await database.transaction(async (tx) => {
      await writeInstruments(tx, facts, { knownAt, source: 'seed' })
      await bumpDataset(tx, { dataset: 'instruments', ...state })
    })
    clock.advance(SEEN_AFTER_MS)
  }

  it('returns every asset of the catalogue in the order of asset_id', async () => {
    const { data, meta } = await get()
    const pages = await Promise.all(
      [0, 100, 200].map((offset) => app.rest<Index>(`/v1/assets?limit=100&offset=${offset}`, { key })),
    )
    const ids = pages.flatMap(({ body }) => body.data.map(({ asset_id }) => asset_id))
    expect(data.map(({ asset_id }) => asset_id)).toEqual(ids)
    expect(meta).toMatchObject({ total: ids.length, has_next: false })
    expect(data[0]).toEqual({
      asset_id: 1,
      slug: 'bitcoin',
      ticker: 'BTC',
      name: 'Bitcoin',
      asset_class: 'crypto',
      mic: null,
      is_active: true,
      is_confirmed: true,
    })
    expect(data).toContainEqual(
      expect.objectContaining({ ticker: 'AAPL', asset_class: 'stock', mic: 'XNAS' }),
    )
  })

  it('returns the assets of one class', async () => {
    const { data } = await get('?asset_class=commodity')
    expect(data.length).toBeGreaterThan(1)
    expect(new Set(data.map((asset) => (asset as { asset_class?: string }).asset_class))).toEqual(
      new Set(['commodity']),
    )
  })

  it('reads the catalogue once per version of the dataset', async () => {
    await commit([], SEEDED_AT)
    await get()
    await get()
    await app.graphql(`{ asset_index { ${SELECTION} } }`, { key })
    expect(statements).toHaveLength(1)
    await commit([], SEEDED_AT)
    await get()
    expect(statements).toHaveLength(2)
  })

  it('answers an unchanged catalogue with a 304 free of charge', async () => {
    const first = await app.rest('/v1/assets/index', { key })
    const again = await app.rest('/v1/assets/index', {
      key,
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    })
    expect(again.status).toBe(304)
    expect(again.headers.get('x-ratelimit-remaining')).toBe(first.headers.get('x-ratelimit-remaining'))
  })

  it('marks an asset that its source has not confirmed for more than 30 days', async () => {
    const all = (await get()).data
    const others = [fund(1), fund(2)]
    await commit(others, SEEDED_AT)
    expect((await get()).data.every(({ is_active }) => is_active)).toBe(true)
    await commit([fund(1)], new Date(SEEDED_AT.getTime() + 31 * DAY_MS))
    const states = new Map((await get()).data.map(({ slug, is_active }) => [slug, is_active]))
    expect(states.get(fund(1).slug)).toBe(true)
    expect(states.get(fund(2).slug)).toBe(false)
    expect(states.size).toBe(all.length + 2)
  })

  it(`returns ${LARGEST} assets in one answer, in REST, as a file and in GraphQL`, async () => {
    const funds = Array.from({ length: LARGEST }, (_, index) => fund(index))
    await commit(funds, SEEDED_AT)
    const { data, meta } = await get('?asset_class=etf')
    expect(data.length).toBeGreaterThanOrEqual(LARGEST)
    expect(meta.total).toBe(data.length)
    const { body } = await app.graphql<{ asset_index: Index }>(
      `{ asset_index(asset_class: etf) { ${SELECTION} } }`,
      { key },
    )
    expect(body.data?.asset_index.data).toEqual(data)
    const file = await fetch(`${app.url}/v1/assets/index.csv?asset_class=etf`, {
      headers: { 'x-api-key': key },
    })
    expect((await file.text()).trimEnd().split('\r\n')).toHaveLength(data.length + 1)
  })

  it('leaves the path to the catalogue: no asset has the slug index', async () => {
    const { status, body } = await app.graphql('{ asset(id: "index") { data { ticker } } }', { key })
    expect([status, body.errors?.[0]?.extensions.code]).toEqual([404, 'NOT_FOUND'])
  })
})
