import { type GraphQLObjectType, isNonNullType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EMPTY_META } from '../../src/graphql/api-meta.js'
import { graphSchema } from '../../src/schema.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { quickestDatabase } from '../support/database.js'

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

describe('the members of meta', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
  })
  afterAll(() => app?.close())

  it('are those of the contract in what is written and in the GraphQL type', () => {
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
})
