import { composeServices } from '@theguild/federation-composition'
import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

/** A part of a federated graph that adds a field to assets. */
const NOTES = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type AssetCard @key(fields: "slug") { slug: String! note: String }
  type Query { notes: [AssetCard!]! }`

interface Entities {
  readonly _entities: readonly ({ readonly ticker: string } | null)[] | null
}

describe('a federated graph', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  const load = (representations: unknown, selection = '{ ... on AssetCard { ticker } }', caller = key) =>
    app.graphql<Entities>(
      `query Load($representations: [_Any!]!) { _entities(representations: $representations) ${selection} }`,
      { key: caller, variables: { representations } },
    )

  it('composes the schema that the service gives to routers with another part', async () => {
    const { body } = await app.graphql<{ _service: { sdl: string } }>('{ _service { sdl } }', { key })
    const { supergraphSdl, errors } = composeServices([
      {
        name: 'market-data',
        url: 'http://127.0.0.1:4000/graphql',
        typeDefs: parse(body.data?._service.sdl ?? ''),
      },
      { name: 'notes', url: 'http://127.0.0.1:4001/graphql', typeDefs: parse(NOTES) },
    ])
    expect(errors).toBeUndefined()
    expect(supergraphSdl).toContain('note: String @join__field(graph: NOTES)')
  })

  it('loads assets by either key, in the order of the keys, with null for an unknown asset', async () => {
    const { body } = await load([
      { __typename: 'AssetCard', asset_id: 2 },
      { __typename: 'AssetCard', slug: 'nothing-of-that-name' },
      { __typename: 'AssetCard', slug: 'bitcoin' },
      { __typename: 'AssetCard', asset_id: 2 ** 40 },
    ])
    expect(body.errors).toBeUndefined()
    const second = await app.database.rows<{ ticker: string }>('select ticker from asset where asset_id = 2')
    expect(body.data?._entities).toEqual([second[0], null, { ticker: 'BTC' }, null])
  })

  it('names every wrong entity', async () => {
    const { status, body } = await load([
      { __typename: 'Coin', slug: 'bitcoin' },
      { __typename: 'AssetCard' },
    ])
    expect(status).toBe(422)
    expect(body.errors?.[0]?.extensions.details).toEqual([
      { field: 'representations.0.__typename', message: 'must be AssetCard; got "Coin"' },
      { field: 'representations.1', message: 'must have the key slug (a text) or asset_id (a whole number)' },
    ])
    const many = await load(Array.from({ length: 101 }, () => ({ __typename: 'AssetCard', slug: 'bitcoin' })))
    expect([many.status, many.body.errors?.[0]?.message]).toEqual([
      422,
      'representations: may have at most 100 entities; got 101',
    ])
  })

  it('charges a unit per 20 entities, and each edge below an entity as anywhere else', async () => {
    const bitcoins = Array.from({ length: 41 }, () => ({ __typename: 'AssetCard', slug: 'bitcoin' }))
    const plain = await load(bitcoins)
    expect(plain.body.extensions?.cost).toMatchObject({ charged: 3 })
    const nested = await load(bitcoins, '{ ... on AssetCard { ticker ohlcv(limit: 1) { rows } } }')
    expect(nested.body.extensions?.cost).toMatchObject({ charged: 6 })
    const free = await app.newKey({ tier: 'free' })
    const refused = await load(
      [{ __typename: 'AssetCard', slug: 'apple' }],
      '{ ... on AssetCard { fundamentals { ps_ratio } } }',
      free,
    )
    expect(refused.body.errors?.[0]?.extensions.code).toBe('FORBIDDEN')
  })
})
