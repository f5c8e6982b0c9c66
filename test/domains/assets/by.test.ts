import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeInstruments } from '../../../src/domains/instruments/masters/masters-store.js'
import type { Database } from '../../../src/platform/database/database.js'
import { graphSchema, restSchema } from '../../../src/schema.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'
import { createInstrument } from '../../support/instrument.js'

/** Two funds share one ISIN, as share classes of a master with an error do. */
const twin = (assetId: number) =>
  createInstrument({
    assetId,
    slug: `twin-${assetId}`,
    ticker: `TWIN${assetId}`,
    name: `Twin ${assetId}`,
    isin: 'PLTWIN000016',
  })

type Cards = Readonly<Record<string, { readonly data: { readonly name: string } } | null>>

const AAPL = 'BBG000B9XRY4'

describe('an asset by another identifier', () => {
  let database: Database
  let app: TestApp
  let key: string
  let reads: string[] = []
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'seeded')
    await database.transaction((tx) =>
      writeInstruments(tx, [twin(7_001), twin(7_002)], { knownAt: SEEDED_AT, source: 'seed' }),
    )
    const watched = interposed(database, (sql) => {
      if (/instrument/.test(sql)) reads.push(sql)
    })
    app = await startTestApp(quickestDatabase(), { database: watched, env: { CACHE_BYTES: '0' } })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(async () => {
    await app?.close()
    await database?.close()
  })
  beforeEach(() => {
    reads = []
  })

  const ask = async (fields: string) => (await app.graphql<Cards>(`{ ${fields} }`, { key })).body
  const refusal = async (by: string) => {
    const { status, body } = await app.graphql(`{ asset(${by}) { data { name } } }`, { key })
    return { status, message: body.errors?.[0]?.message, details: body.errors?.[0]?.extensions.details }
  }

  it.each([
    ['its slug', '{ slug: "apple" }'],
    ['its FIGI', `{ figi: "${AAPL}" }`],
    ['its FIGI in lower case', `{ figi: "${AAPL.toLowerCase()}" }`],
    ['its ISIN', '{ isin: "US0378331005" }'],
    ['its listing', '{ listing: { ticker: "aapl", mic: "xnas" } }'],
  ])('is found by %s', async (_, by) => {
    expect((await ask(`asset(by: ${by}) { data { name } }`)).data?.asset?.data.name).toBe('Apple Inc.')
  })

  it('is found by its integer key, also in a variable', async () => {
    const query = 'query ($by: AssetBy!) { asset(by: $by) { data { name } } }'
    const { body } = await app.graphql<Cards>(query, { key, variables: { by: { asset_id: 1 } } })
    expect(body.data?.asset?.data.name).toBe('Bitcoin')
  })

  it('is found together with all other assets of the operation, in one read', async () => {
    const few =
      'a: asset(by: { asset_id: 1 }) { data { name } } b: asset(by: { asset_id: 2 }) { data { name } }'
    const more = `${few} c: asset(by: { isin: "US0378331005" }) { data { name } }
      d: asset(by: { figi: "${AAPL}" }) { data { name } }
      e: asset(by: { listing: { ticker: "MSFT", mic: "XNAS" } }) { data { name } }`
    await ask(few)
    const forTwo = reads.length
    reads = []
    const { data } = await ask(more)
    expect(Object.values(data ?? {}).map((card) => card?.data.name)).toEqual([
      'Bitcoin',
      'Ethereum',
      'Apple Inc.',
      'Apple Inc.',
      'Microsoft Corporation',
    ])
    expect(reads.length).toBe(forTwo)
  })

  it('is taken by every root field that takes a slug', () => {
    const fields = [graphSchema.getQueryType(), graphSchema.getSubscriptionType()].flatMap((type) =>
      Object.values(type?.getFields() ?? {}),
    )
    const isSlug = (description: string | null | undefined) =>
      /^Slug of (the|an) asset/.test(description ?? '')
    const takers = fields.filter(({ args }) => args.some(({ description }) => isSlug(description)))
    expect(takers.length).toBeGreaterThanOrEqual(11)
    expect(
      takers.filter(({ args }) => !args.some(({ name }) => name === 'by')).map(({ name }) => name),
    ).toEqual([])
  })

  it('is taken by candles, analyses and figures', async () => {
    const bitcoin = 'by: { asset_id: 1 }'
    const { errors, data } = await ask(`ohlcv(${bitcoin}) { data { asset_id } }
      consensus_inputs(${bitcoin}) { asset_id } asset_ai(${bitcoin}) { data { analysis_type } }
      onchain_metrics(${bitcoin}) { data { ticker } }
      ai_analysis_latest(${bitcoin}) { asset_id } ai_analysis_history(${bitcoin}) { asset_id }
      ai_analysis_diff(${bitcoin}) { asset_id }`)
    expect(errors).toBeUndefined()
    expect(data).toMatchObject({
      ohlcv: { data: { asset_id: 'bitcoin' } },
      consensus_inputs: { asset_id: 'bitcoin' },
      ai_analysis_latest: { asset_id: 'bitcoin' },
      ai_analysis_history: { asset_id: 'bitcoin' },
      ai_analysis_diff: { asset_id: 'bitcoin' },
    })
  })

  it.each([
    ['no identifier', 'id: null', 'give exactly one of id and by'],
    ['a slug and another identifier', 'id: "bitcoin", by: { asset_id: 1 }', 'give exactly one of id and by'],
  ])('is refused with %s', async (_, given, message) => {
    expect(await refusal(given)).toMatchObject({ status: 422, details: [{ field: 'id', message }] })
  })

  it('names the argument of the analyses when neither is given', async () => {
    const { body } = await app.graphql('{ ai_analysis_latest { asset_id } }', { key })
    expect(body.errors?.[0]?.extensions.details).toEqual([
      { field: 'asset_id', message: 'give exactly one of asset_id and by' },
    ])
  })

  it.each([
    [
      'by: { asset_id: 987654 }',
      'No asset has the asset_id 987654. All assets are listed by the field asset_index.',
    ],
    [
      'by: { figi: "BBG00ZZZZZZ2" }',
      'No asset has the FIGI BBG00ZZZZZZ2. All assets are listed by the field asset_index.',
    ],
    ['by: { slug: "appel" }', 'No asset has the slug "appel"; did you mean apple (AAPL)?'],
    [
      'by: { listing: { ticker: "AAPL", mic: "XLON" } }',
      'No asset is listed as AAPL on XLON; did you mean apple (AAPL)?',
    ],
  ])('is a 404 that names what to do: %s', async (by, message) => {
    const { status, message: shown } = await refusal(by)
    expect(status).toBe(404)
    expect(shown).toContain(message)
  })

  it.each([
    ['by: { figi: "BBG000B9XRY5" }', 'by.figi', 'check digit'],
    ['by: { isin: "US0378331006" }', 'by.isin', 'check digit'],
    ['by: { listing: { ticker: "AAPL", mic: "X" } }', 'by.listing.mic', 'four letters'],
    ['by: { isin: "PLTWIN000016" }', 'by.isin', 'belongs to several assets: twin-7001, twin-7002'],
  ])('is a 422 that names the member: %s', async (by, field, part) => {
    const { status, details } = await refusal(by)
    expect([status, details]).toEqual([422, [{ field, message: expect.stringContaining(part) }]])
  })

  it.each([
    ['two members', { slug: 'bitcoin', asset_id: 1 }, '{ slug: "bitcoin", asset_id: 1 }'],
    ['no member', {}, '{}'],
    ['a member that is null', { slug: null }, '{ slug: null }'],
  ])('is a 400 in a variable and in the text for %s', async (_, by, text) => {
    const variable = await app.graphql('query ($by: AssetBy!) { asset(by: $by) { data { name } } }', {
      key,
      variables: { by },
    })
    const literal = await app.graphql(`{ asset(by: ${text}) { data { name } } }`, { key })
    for (const { status, body } of [variable, literal]) {
      expect(status).toBe(400)
      expect(body.errors?.[0]?.message).toContain('by: must have exactly one member')
    }
  })

  it('is only the slug of the path in REST', async () => {
    const asset = restSchema.getQueryType()?.getFields().asset
    expect(asset?.args.map(({ name, type }) => `${name}: ${type}`)).toEqual(['id: String!'])
    expect((await app.rest('/v1/assets/bitcoin?by=x', { key })).status).toBe(422)
  })
})
