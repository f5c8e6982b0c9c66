import { type GraphQLObjectType, getNamedType, isNonNullType, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { METHOD_SECTIONS } from '../../../src/core/method.js'
import { restEndpoints } from '../../../src/gateway/rest/routes/rest-route.js'
import { graphSchema, restSchema } from '../../../src/schema.js'
import { EMPTY_META } from '../../../src/schema-kit/api-meta.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { callRest, exampleArguments, rootFields } from '../../support/app/endpoint-calls.js'
import { quickestDatabase } from '../../support/database/database.js'

/** As the API contract names them, in the order of a response. */
const MEMBERS =
  `version cache_hit ai_generated_at ai_mode ai_model benchmark_notice computed_at data_methodology
  data_quality disclaimer disclaimer_lang_canonical disclaimer_translations fallback_used freshness_ts has_next
  is_dev_dataset licensed_for_commercial_use locale methodology_version price_type source total upstream`.split(
    /\s+/,
  )
const REQUIRED = ['version', 'cache_hit']

interface OpenApi {
  readonly components: {
    readonly schemas: {
      readonly ApiMeta: {
        readonly properties: Record<
          string,
          { readonly type?: string | readonly string[]; readonly anyOf?: [] }
        >
        readonly required: readonly string[]
      }
    }
  }
}

/** What only answers with derived values have, and what each of them then has. */
const OF_DERIVED = ['computed_at', 'data_methodology', 'methodology_version'] as const
const WITH_DERIVED = ['computed_at', 'data_methodology', 'disclaimer', 'disclaimer_translations'] as const

/** At most 120 characters, and the absolute link of the full method. */
const SHORT_METHOD = new RegExp(
  `^.{20,120}\\. http://127\\.0\\.0\\.1:4000/docs/guides/methodology#(${METHOD_SECTIONS.join('|')})$`,
)

/** Routes whose body has `meta` of this type; they have arguments by example. */
const ENVELOPED = restEndpoints(restSchema).flatMap(({ rest, field }) => {
  const type = getNamedType(field.type)
  const hasMeta = isObjectType(type) && getNamedType(type.getFields().meta?.type)?.name === 'ApiMeta'
  const root = rootFields().find(({ name }) => name === field.name)
  return hasMeta && root && rest.method === 'GET' ? [[rest.path, root, rest] as const] : []
})

/** Arguments without an example, or that bring rows where an example would bring none. */
const ARGUMENTS: Readonly<Record<string, object>> = {
  corporate_actions: { ticker: 'META' },
  etf_prices: { adjust: 'all' },
  stock_prices: { adjust: 'all' },
}

/** What they show is fixed, or as its providers state it: in the seeded world the net asset values of ETFs too. */
const UNDERIVED = [
  'asset_index',
  'asset_search',
  'commodities',
  'commodity',
  'commodity_prices',
  'corporate_action_changes',
  'corporate_actions',
  'dividends',
  'etf_holdings',
  'etf_instrument',
  'etf_reports',
  'etfs',
  'exchange_candles',
  'forex_currencies',
  'held_by',
  'macro_catalogue',
  'sql_credentials',
  'star_dim_analysis_types',
  'star_dim_chains',
  'star_dim_dates',
  'star_dim_event_types',
  'star_dim_news_sources',
  'star_dim_tiers',
  'star_fact_events',
  'star_fact_news_mentions',
  'star_fact_protocol_economics',
  'symbol',
]

describe('the members of meta', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
  })
  afterAll(() => app?.close())

  it('equal those of the contract in the written answers and in the GraphQL type', () => {
    expect(Object.keys(EMPTY_META)).toEqual(MEMBERS)
    const type = graphSchema.getType('ApiMeta') as GraphQLObjectType
    const fields = Object.values(type.getFields())
    expect(fields.map(({ name }) => name).sort()).toEqual([...MEMBERS].sort())
    expect(fields.filter((field) => isNonNullType(field.type)).map(({ name }) => name)).toEqual(REQUIRED)
  })

  it('are the same in OpenAPI, with the same ones nullable', async () => {
    const { body } = await app.rest<OpenApi>('/openapi.json')
    const { properties } = body.components.schemas.ApiMeta
    expect(Object.keys(properties).sort()).toEqual([...MEMBERS].sort())
    const isNullable = (name: string) => JSON.stringify(properties[name]).includes('"null"')
    expect(MEMBERS.filter((name) => !isNullable(name))).toEqual(REQUIRED)
  })

  it('are all in an answer, in that order', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const { body } = await app.rest<{ meta: Record<string, unknown> }>('/v1/assets/bitcoin', { key })
    expect(Object.keys(body.meta)).toEqual(MEMBERS)
  })

  it.each(ENVELOPED)(
    'say how and when derived values were made, with the disclaimer: %s',
    async (_, root, rest) => {
      const key = await app.newKey({ tier: 'enterprise' })
      const args = exampleArguments(root, { ...ARGUMENTS[root.name] })
      const { status, body } = await callRest(app, root, rest, args, { key })
      if (root.name === 'sql_credentials') return expect([200, 503]).toContain(status)
      expect(status).toBe(200)
      const { meta } = body as { meta: Record<string, unknown> }
      const isDerived = OF_DERIVED.some((name) => meta[name] !== null)
      if (isDerived) expect(WITH_DERIVED.filter((name) => meta[name] === null)).toEqual([])
      if (meta.data_methodology !== null) expect(meta.data_methodology).toMatch(SHORT_METHOD)
      expect([root.name, isDerived]).toEqual([root.name, !UNDERIVED.includes(root.name)])
    },
  )
})
