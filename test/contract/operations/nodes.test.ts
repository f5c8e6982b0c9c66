import { isInterfaceType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphSchema } from '../../../src/schema.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

interface Shown {
  readonly __typename: string
  readonly id: string
}

/** For each type with an id a query that shows objects of it. */
const SHOWN_BY: Readonly<Record<string, string>> = {
  AIAnalysisLatestResponse:
    '{ a: ai_analysis_latest(asset_id: "bitcoin") { __typename id } b: ai_analysis_latest(asset_id: "ethereum") { __typename id } }',
  AiAnalysisItem: '{ ai_analysis_history(asset_id: "bitcoin", limit: 5) { items { __typename id } } }',
  ApiKeyListItem: '{ api_keys { keys { __typename id } } }',
  AssetCard: '{ assets(limit: 20) { data { __typename id } } }',
  MacroSeries:
    '{ bis_countries { data { series { __typename id } } } boj_catalogue { data { series { __typename id } } } bok_catalogue { data { series { __typename id } } } }',
  Webhook: '{ webhooks { webhooks { __typename id } } }',
}

function objectsIn(value: unknown): readonly Shown[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  if (typeof value !== 'object' || value === null) return []
  return 'id' in value ? [value as Shown] : Object.values(value).flatMap(objectsIn)
}

const idOf = (text: string) => Buffer.from(text).toString('base64url')

describe('an object with an id', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'enterprise' })
    for (const label of ['second', 'third'])
      await app.rest('/auth/keys', { key, method: 'POST', body: { label } })
    for (const name of ['one', 'two'])
      await app.rest('/v1/webhooks', {
        key,
        method: 'POST',
        body: { url: `https://${name}.example/hook` },
      })
  })
  afterAll(() => app?.close())

  async function shownOf(type: string, caller = key): Promise<readonly Shown[]> {
    const { body } = await app.graphql(SHOWN_BY[type] ?? '', { key: caller })
    expect(body.errors).toBeUndefined()
    return objectsIn(body.data).slice(0, 40)
  }
  const load = (ids: readonly string[], selection = '{ __typename id }', caller = key) =>
    app.graphql<{ nodes: readonly (Shown | null)[] | null }>(
      `query Load($ids: [ID!]!) { nodes(ids: $ids) ${selection} }`,
      { key: caller, variables: { ids } },
    )
  const loadOne = (id: string, selection = '{ __typename id }', caller = key) =>
    app.graphql<{ node: Shown | null }>(`query One($id: ID!) { node(id: $id) ${selection} }`, {
      key: caller,
      variables: { id },
    })

  it('is of a type that this test shows', () => {
    const node = graphSchema.getType('Node')
    if (!isInterfaceType(node)) throw new Error('Node is no interface')
    const types = graphSchema.getPossibleTypes(node).map(({ name }) => name)
    expect(types.sort()).toEqual(Object.keys(SHOWN_BY).sort())
  })

  it.each(Object.keys(SHOWN_BY))('is found again by its id: %s', async (type) => {
    const shown = await shownOf(type)
    expect(shown.length).toBeGreaterThan(1)
    const { body } = await load(shown.map(({ id }) => id))
    expect(body.errors).toBeUndefined()
    expect(body.data?.nodes).toEqual(shown)
    const first = shown[0] as Shown
    expect((await loadOne(first.id)).body.data?.node).toEqual(first)
  })

  it.each(Object.keys(SHOWN_BY))('is read with all others of its type: %s', async (type) => {
    const ids = (await shownOf(type)).map(({ id }) => id)
    const statementsFor = async (some: readonly string[], name: string) => {
      const before = app.database.statementCount()
      await load(
        some,
        `{ ${name}: __typename id ... on ApiKeyListItem { label tier } ... on Webhook { url } }`,
      )
      return app.database.statementCount() - before
    }
    // The least of some attempts, because the process writes usage meanwhile.
    const least = async (some: readonly string[], name: string) => {
      const counts: number[] = []
      for (const attempt of [1, 2, 3, 4]) counts.push(await statementsFor(some, `${name}${attempt}`))
      return Math.min(...counts)
    }
    const one = await least(ids.slice(0, 1), 'one')
    expect(one).toBeGreaterThan(0)
    expect(await least(ids, 'many')).toBe(one)
  })

  it('has the fields of its type and their edges', async () => {
    const { body } = await loadOne(
      idOf('AssetCard:bitcoin'),
      '{ ... on AssetCard { ticker ohlcv(limit: 2) { rows } } ... on Webhook { url } }',
    )
    expect(body.errors).toBeUndefined()
    expect(body.data?.node).toEqual({ ticker: 'BTC', ohlcv: { rows: 2 } })
  })

  it('is null if it does not exist or belongs to another account', async () => {
    const other = await app.newKey({ tier: 'enterprise' })
    const foreign = [...(await shownOf('ApiKeyListItem')), ...(await shownOf('Webhook'))].map(({ id }) => id)
    const unknown = [
      'AssetCard:nothing-of-that-name',
      'AIAnalysisLatestResponse:3f2b8c1e-5d4a-4b6f-9a7e-2c1d0e9f8a7b',
      'ApiKeyListItem:3f2b8c1e-5d4a-4b6f-9a7e-2c1d0e9f8a7b',
      'MacroSeries:bis/WS_TC/no such key',
    ].map(idOf)
    const { body } = await load([...foreign, ...unknown], undefined, other)
    expect(body.errors).toBeUndefined()
    expect(body.data?.nodes).toEqual([...foreign, ...unknown].map(() => null))
    expect((await loadOne(foreign[0] ?? '', undefined, other)).body.data).toEqual({ node: null })
  })

  it('must be named by an id that an object shows', async () => {
    const malformed = [
      '',
      'bitcoin',
      idOf('bitcoin'),
      idOf('Coin:bitcoin'),
      idOf('AssetCard:Bit Coin'),
      idOf('ApiKeyListItem:1'),
      idOf('MacroSeries:fed/H15/D.10Y'),
      `${idOf('AssetCard:bitcoin')}=`,
      'é'.repeat(10),
    ]
    const { status, body } = await load(malformed)
    expect(status).toBe(422)
    expect(body.errors?.[0]?.extensions.details?.map(({ field }) => field)).toEqual(
      malformed.map((_, index) => `ids.${index}`),
    )
    const one = await loadOne('bitcoin')
    expect([one.status, one.body.errors?.[0]?.message]).toEqual([
      422,
      'id: must be an id as the field `id` of an object shows it; got "bitcoin"',
    ])
    const many = await load(Array.from({ length: 101 }, () => idOf('AssetCard:bitcoin')))
    expect([many.status, many.body.errors?.[0]?.message]).toEqual([
      422,
      'ids: may have at most 100 ids; got 101',
    ])
  })

  it('needs the scope of the root field that serves it', async () => {
    const free = await app.newKey({ tier: 'free' })
    const snapshot = (await shownOf('AIAnalysisLatestResponse'))[0]?.id ?? ''
    const series = (await shownOf('MacroSeries'))[0]?.id ?? ''
    for (const [id, scope] of [
      [snapshot, 'ai:read'],
      [series, 'macro:read'],
    ] as const) {
      const { status, body } = await loadOne(id, undefined, free)
      expect([status, body.errors?.[0]?.extensions.required_scope]).toEqual([403, scope])
    }
    expect((await loadOne(idOf('AssetCard:bitcoin'), undefined, free)).status).toBe(200)
    expect((await app.graphql('{ node(id: "QXNzZXRDYXJkOmJpdGNvaW4") { id } }', { key: null })).status).toBe(
      401,
    )
  })

  it('costs what the root field costs, in a list a unit per 20 ids, and each edge as anywhere else', async () => {
    const bitcoin = idOf('AssetCard:bitcoin')
    const charged = async (answer: Promise<{ body: { extensions?: { cost?: { charged: number } } } }>) =>
      (await answer).body.extensions?.cost?.charged ?? 0
    const candles = '{ ... on AssetCard { ticker ohlcv(limit: 1) { rows } } ... on Webhook { url } }'
    expect(await charged(loadOne(bitcoin))).toBe(1)
    expect(await charged(loadOne(bitcoin, candles))).toBe(2)
    const bitcoins = Array.from({ length: 41 }, () => bitcoin)
    expect(await charged(load(bitcoins))).toBe(3)
    expect(await charged(load(bitcoins, candles))).toBe(6)
    const keys = (await shownOf('ApiKeyListItem')).map(({ id }) => id)
    expect(await charged(load(keys))).toBe(0)
    expect(await charged(load(keys, candles))).toBe(0)
  })

  it('is cached as the answer of the root field is', async () => {
    const versions = async (query: string) =>
      (await app.graphql(query, { key })).headers.get('x-data-version')
    expect(
      await versions(`{ node(id: "${idOf('AssetCard:bitcoin')}") { ... on AssetCard { ticker } } }`),
    ).toBe(await versions('{ asset(id: "bitcoin") { data { ticker } } }'))
  })
})
