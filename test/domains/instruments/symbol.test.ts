import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeInstruments } from '../../../src/domains/instruments/masters/masters-store.js'
import type { InstrumentFacts } from '../../../src/domains/instruments/model.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'

interface Period {
  readonly name: string
  readonly mic: string | null
  readonly valid_from: string | null
  readonly valid_to: string | null
  readonly successor: string | null
  readonly is_contradicted: boolean
  readonly source: string
}

interface Symbols {
  readonly data: readonly Period[]
  readonly meta: { readonly total: number; readonly data_quality: string }
}

interface Refusal {
  readonly message: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

const FUND: InstrumentFacts = {
  assetId: 900_100,
  slug: 'roundhill-ball-metaverse-etf',
  ticker: 'METV',
  name: 'Roundhill Ball Metaverse ETF',
  assetClass: 'etf',
  tier: null,
  mic: 'ARCX',
  isin: null,
  figi: null,
  currency: 'USD',
  sectorGics: null,
  cik: null,
  contract: null,
  lei: null,
  symbols: {},
  // The fund gave the ticker to Facebook, which had it from 9 June 2022.
  formerTickers: [{ ticker: 'META', to: '2022-01-31' as never }],
}

const META_NAME = 'Meta Platforms, Inc. Class A'

/** A made-up fund whose days of a ticker overlap those of the other on the same market. */
const WRONG: InstrumentFacts = {
  ...FUND,
  assetId: 900_101,
  slug: 'a-wrong-fund',
  ticker: 'WRNG',
  name: 'A wrong fund',
  formerTickers: [{ ticker: 'META', to: '2021-12-01' as never }],
}

/** A made-up fund that took a former ticker again. */
const RETURNED: InstrumentFacts = {
  ...FUND,
  assetId: 900_102,
  slug: 'a-returned-fund',
  ticker: 'BACK',
  name: 'A returned fund',
  formerTickers: [
    { ticker: 'BACK', to: '2015-06-01' as never },
    { ticker: 'GONE', to: '2019-02-01' as never },
  ],
}

describe('the securities of a ticker', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    const database = await openTestDatabase(quickestDatabase(), 'seeded')
    await database.transaction((tx) => writeInstruments(tx, [FUND], { knownAt: SEEDED_AT, source: 'test' }))
    app = await startTestApp(quickestDatabase(), { database, env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'starter' })
  })
  afterAll(async () => {
    await app?.close()
    await app?.database.close()
  })

  const get = <Body>(path: string) => app.rest<Body>(path, { key })
  const namesOf = ({ data }: Symbols) => data.map(({ name }) => name)

  it('are all that had it, the latest first, each with its days', async () => {
    const { status, body } = await get<Symbols>('/v1/symbols/meta')
    expect([status, body.meta.total, body.meta.data_quality]).toEqual([200, 2, 'full'])
    expect(body.data).toMatchObject([
      { name: META_NAME, mic: 'XNAS', valid_from: '2022-06-09', valid_to: null, successor: null },
      {
        name: FUND.name,
        mic: 'ARCX',
        valid_from: null,
        valid_to: '2022-01-31',
        successor: 'METV',
        source: 'test',
      },
    ])
    expect(body.data.map(({ is_contradicted }) => is_contradicted)).toEqual([false, false])
  })

  it('are those of one day with `on`', async () => {
    expect(namesOf((await get<Symbols>('/v1/symbols/META?on=2022-01-30')).body)).toEqual([FUND.name])
    expect(namesOf((await get<Symbols>('/v1/symbols/META?on=2022-06-09')).body)).toEqual([META_NAME])
    const between = await get<Refusal>('/v1/symbols/META?on=2022-03-01')
    expect([between.status, between.body.message]).toEqual([
      404,
      'No known security had the ticker META on 2022-03-01. 2 securities had it at another time or market. Use GET /v1/symbols/META to find it.',
    ])
  })

  it('name the ticker that followed', async () => {
    const { body } = await get<Symbols>('/v1/symbols/FB')
    expect(body.data).toMatchObject([{ name: META_NAME, valid_to: '2022-06-09', successor: 'META' }])
  })

  it('have a period for each time that one security had the ticker', async () => {
    await app.database.transaction((tx) =>
      writeInstruments(tx, [RETURNED], { knownAt: SEEDED_AT, source: 'test' }),
    )
    const { body } = await get<Symbols>('/v1/symbols/BACK')
    expect(body.data.map(({ valid_from, valid_to, successor }) => [valid_from, valid_to, successor])).toEqual(
      [
        ['2019-02-01', null, null],
        [null, '2015-06-01', 'GONE'],
      ],
    )
    expect([body.meta.data_quality, body.data.map((one) => one.is_contradicted)]).toEqual([
      'full',
      [false, false],
    ])
    expect((await get<Symbols>('/v1/symbols/BACK?on=2016-01-04')).status).toBe(404)
    expect((await get<Symbols>('/v1/symbols/BACK?on=2015-05-29')).body.meta.total).toBe(1)
  })

  it('are the same in GraphQL', async () => {
    const query = '{ symbol(ticker: "META", mic: "ARCX") { data { name valid_to successor } } }'
    const { body } = await app.graphql<{ symbol: Symbols }>(query, { key })
    expect(body.data?.symbol.data).toEqual([{ name: FUND.name, valid_to: '2022-01-31', successor: 'METV' }])
  })

  it('of several tickers are read in one statement', async () => {
    const statements = async (fields: string) => {
      const before = app.database.statementCount()
      expect((await app.graphql(`{ ${fields} }`, { key })).body.errors).toBeUndefined()
      return app.database.statementCount() - before
    }
    const symbol = (ticker: string) => `${ticker}: symbol(ticker: "${ticker}") { data { name } }`
    await statements(symbol('AAPL')) // the key is cached from now on
    const ofOne = await statements(symbol('META'))
    expect(await statements([symbol('META'), symbol('FB'), symbol('METV')].join(' '))).toBe(ofOne)
  })

  it('are those that were known at `as_of`', async () => {
    const before = new Date(SEEDED_AT.getTime() - 1_000).toISOString()
    expect((await get(`/v1/symbols/METV?as_of=${before}`)).status).toBe(404)
    expect((await get('/v1/symbols/METV')).status).toBe(200)
  })

  it('decide what discover finds on a day, without a request to the identifier service', async () => {
    const fund = await get<{ name: string; ticker: string; slug: string }>('/v1/discover/META?on=2022-01-03')
    expect(fund.body).toMatchObject({ name: FUND.name, ticker: 'META', slug: FUND.slug })
    expect((await get<{ slug: string }>('/v1/discover/FB?on=2020-01-02')).body.slug).toBe('meta-platforms')
    expect((await get('/v1/discover/ZZZZ?on=2020-01-02')).status).toBe(404)
    const future = await get<Refusal>('/v1/discover/META?on=2199-01-01')
    expect([future.status, future.body.details?.[0]?.field]).toEqual([422, 'on'])
  })

  it('contradict each other if two have it on one market on the same day, and none is chosen', async () => {
    await app.database.transaction((tx) =>
      writeInstruments(tx, [WRONG], { knownAt: SEEDED_AT, source: 'test' }),
    )
    const { body } = await get<Symbols>('/v1/symbols/META')
    expect(body.meta.data_quality).toBe('partial')
    expect(body.data.map(({ name, is_contradicted }) => [name, is_contradicted])).toEqual([
      [META_NAME, false],
      [FUND.name, true],
      [WRONG.name, true],
    ])
    const refused = await get<Refusal>('/v1/discover/META?on=2021-06-01')
    expect([refused.status, refused.body.details]).toEqual([
      422,
      [
        {
          field: 'on',
          message:
            'several securities had the ticker META on 2021-06-01: Roundhill Ball Metaverse ETF (roundhill-ball-metaverse-etf), A wrong fund (a-wrong-fund); use the slug of the one that you mean',
        },
      ],
    ])
  })
})
