import { type GraphQLField, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/core/time.js'
import { PUBLISHED_RULES } from '../../../src/platform/bi-temporal/published-rules.js'
import { graphSchema } from '../../../src/schema.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { callGraphql, edges, exampleArguments } from '../../support/app/endpoint-calls.js'
import { fullSelection } from '../../support/app/selections.js'
import { quickestDatabase, SEEDED_AT } from '../../support/database/database.js'

/** Every edge that takes `basis`, with its field. */
const EDGES = edges().flatMap((edge) => {
  const field = fieldOf(edge.name)
  return field.args.some(({ name }) => name === 'basis') ? [{ ...edge, field }] : []
})

function fieldOf(edge: string): GraphQLField<unknown, unknown> {
  const [typeName = '', fieldName = ''] = edge.split('.')
  const type = graphSchema.getType(typeName)
  const field = isObjectType(type) ? type.getFields()[fieldName] : undefined
  if (field === undefined) throw new Error(`the schema has no ${edge}`)
  return field
}

function hasRule({ extensions }: GraphQLField<unknown, unknown>): boolean {
  const reads = (extensions.edge?.reads ?? []) as readonly (keyof typeof PUBLISHED_RULES)[]
  return reads.some((dataset) => PUBLISHED_RULES[dataset] !== undefined)
}

type Row = Readonly<Record<string, unknown>>

/** An edge and a root field that read the same facts. */
interface SameFacts {
  readonly edge: string
  /** The asset that the edge belongs to, and the edge with `AS_OF` for its knowledge and `AROUND` for days around its instant. */
  readonly asset: string
  readonly below: string
  /** The root field with its selection. */
  readonly root: string
  readonly ofEdge: (found: never) => unknown
  readonly ofRoot: (found: never) => unknown
}

const CANDLE = 'ts vwap_usd volume_usd'
const PRICE = 'date open high low close volume currency'

const newestOf = ({ data }: { readonly data: readonly Row[] }) =>
  data.toSorted((a, b) => String(a.date).localeCompare(String(b.date))).at(-1)

const SAME: readonly SameFacts[] = [
  {
    edge: 'AssetCard.ohlcv',
    asset: 'bitcoin',
    below: `ohlcv(AS_OF, timeframe: "1h", AROUND) { timeframe candles { ${CANDLE} } }`,
    root: `ohlcv(id: "bitcoin", AS_OF, timeframe: "1h", AROUND) { data { timeframe candles { ${CANDLE} } } }`,
    ofEdge: (found) => found,
    ofRoot: ({ data }: { readonly data: Row }) => data,
  },
  {
    edge: 'AssetCard.ohlcv',
    asset: 'ethereum',
    below: `ohlcv(AS_OF, from: "2026-09-20T00:00:00Z") { timeframe candles { ${CANDLE} } }`,
    root: `ohlcv(id: "ethereum", AS_OF, from: "2026-09-20T00:00:00Z") { data { timeframe candles { ${CANDLE} } } }`,
    ofEdge: (found) => found,
    ofRoot: ({ data }: { readonly data: Row }) => data,
  },
  {
    edge: 'AssetCard.consensus_inputs',
    asset: 'bitcoin',
    below: 'consensus_inputs(AS_OF) SELECTION',
    root: 'consensus_inputs(id: "bitcoin", AS_OF) SELECTION',
    ofEdge: (found) => found,
    ofRoot: (found) => found,
  },
  {
    edge: 'AssetCard.prices',
    asset: 'apple',
    below: `prices(AS_OF, from: "2026-09-20", limit: 50) { ${PRICE} }`,
    root: `stock_prices(ticker: "AAPL", AS_OF, from: "2026-09-20", limit: 50) { data { ${PRICE} } }`,
    ofEdge: (found) => found,
    ofRoot: ({ data }: { readonly data: readonly Row[] }) => data,
  },
  {
    edge: 'AssetCard.newest_close',
    asset: 'apple',
    below: 'newest_close(AS_OF) { date close currency }',
    root: 'stock_prices(ticker: "AAPL", AS_OF, from: "2026-09-20", limit: 50) { data { date close currency } }',
    ofEdge: (found) => found,
    ofRoot: newestOf,
  },
]

/** Before and after the instant at which a window, a day and a session count as published. */
const INSTANTS = [
  '2026-11-18T00:14:59Z',
  '2026-11-18T00:15:00Z',
  '2026-11-18T21:14:59Z',
  '2026-11-18T21:15:00Z',
  '2026-11-18T23:59:59Z',
]

describe('an edge that takes basis', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'enterprise' })
    // As an installation that loaded everything a moment ago.
    for (const rows of [
      `candle where asset_id in (select asset_id from asset where slug in ('bitcoin', 'ethereum'))`,
      `daily_price where instrument_id in (select instrument_id from instrument where ticker = 'AAPL')`,
    ]) {
      await app.database.rows(`delete from ${rows} and known_to is not null`, [])
      await app.database.rows(`update ${rows.replace(' where ', ' set known_from = $1 where ')}`, [SEEDED_AT])
    }
  })
  afterAll(() => app?.close())

  const ask = async ({ asset, below, root, edge }: SameFacts, instant: string, basis: string) => {
    const selection = fullSelection(fieldOf(edge).type)
    const [from, to] = [-2, 1].map((days) => new Date(Date.parse(instant) + days * DAY_MS).toISOString())
    const text = (part: string) =>
      part
        .replace('AS_OF', `as_of: "${instant}", basis: ${basis}`)
        .replace('AROUND', `from: "${from}", to: "${to}"`)
        .replace('SELECTION', selection)
    const query = `{ card: asset(id: "${asset}") { data { edge: ${text(below)} } } root: ${text(root)} }`
    const { body } = await app.graphql<{ card: { data: { edge: unknown } }; root: unknown }>(query, { key })
    return body
  }

  it('is one of these, by a rule or without', () => {
    expect(EDGES.length).toBeGreaterThan(10)
    expect(new Set(EDGES.filter(({ field }) => hasRule(field)).map(({ name }) => name))).toEqual(
      new Set(SAME.map(({ edge }) => edge)),
    )
  })

  it.each(SAME.flatMap((same) => INSTANTS.map((instant) => [same.edge, same.asset, instant, same] as const)))(
    'has what the root field has that was published: %s of %s at %s',
    async (_edge, _asset, instant, same) => {
      const { data, errors } = await ask(same, instant, 'published')
      expect(errors).toBeUndefined()
      const found = same.ofEdge(data?.card.data.edge as never)
      expect(found).toEqual(same.ofRoot(data?.root as never))
      expect(found).not.toBeNull()
      // By observation nothing was known then.
      const observed = await ask(same, instant, 'observed')
      expect(observed.data?.card?.data.edge ?? null).not.toEqual(found)
    },
  )

  it.each(EDGES.filter(({ field }) => !hasRule(field)))(
    'is a 422 without a rule: $name',
    async ({ name, root, wanted, field }) => {
      const asked = wanted.replace(
        new RegExp(`${field.name}(?:\\(limit: 1\\))? { __typename }`),
        `${field.name}(basis: published) ${fullSelection(field.type)}`,
      )
      expect(asked).toContain('basis: published')
      const { body } = await callGraphql(app, root, exampleArguments(root, {}), { key }, asked)
      const [error] = body.errors ?? []
      expect([name, error?.message, error?.extensions.http.status, error?.path?.at(-1)]).toEqual([
        name,
        expect.stringContaining('basis: must be observed: no rule says when the values of'),
        422,
        field.name,
      ])
    },
  )
})
