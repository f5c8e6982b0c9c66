import { describe, expect, it } from 'vitest'
import { buildOpenApi } from '../../../../src/gateway/rest/openapi/openapi.js'
import { schema } from '../rest-schema.js'

const document = await buildOpenApi(schema, {
  version: '1.2.3',
  serverUrl: 'https://api.example.com',
  environment: 'production',
  form: 'full',
})

const ANSWER_BYTES = 16 * 1024 * 1024

/** The node at a path of keys; fails naming the first that is missing. */
function at(...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((node, key) => {
    expect(node, `${keys.join(' > ')}`).toHaveProperty([key])
    return (node as Record<string, unknown>)[key]
  }, document)
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description: string
}

describe('schemas', () => {
  it('state what may be null, and that every field is always present', () => {
    expect(at('components', 'schemas', 'Asset')).toEqual({
      type: 'object',
      description: 'An asset.',
      properties: {
        id: { type: 'string', maxLength: ANSWER_BYTES, description: 'The slug.' },
        name: { type: ['string', 'null'], maxLength: ANSWER_BYTES, description: 'A text.' },
        asset_class: {
          anyOf: [{ $ref: '#/components/schemas/AssetClass' }, { type: 'null' }],
          description: 'Its kind.',
        },
        price: {
          type: ['number', 'null'],
          format: 'double',
          description: 'US dollars; null without enough sources.',
        },
        listed_on: { type: ['string', 'null'], format: 'date', maxLength: 10, description: 'First day.' },
        updated_at: {
          type: ['string', 'null'],
          format: 'date-time',
          maxLength: 24,
          description: 'Last change.',
        },
        aliases: {
          type: 'array',
          items: { type: 'string', maxLength: ANSWER_BYTES },
          maxItems: ANSWER_BYTES / 2,
          description: 'Names.',
        },
      },
      required: ['id', 'name', 'asset_class', 'price', 'listed_on', 'updated_at', 'aliases'],
    })
  })

  it('describe enum values and list the members of a union', () => {
    expect(at('components', 'schemas', 'AssetClass')).toEqual({
      type: 'string',
      description:
        'What kind of asset it is.\n\n- `crypto`: A coin or token.\n- `stock`: A share.\n- `etf`: A fund.\n- `commodity`: A good.',
      enum: ['crypto', 'stock', 'etf', 'commodity'],
    })
    expect(at('components', 'schemas', 'Thing')).toEqual({
      description: 'A coin or a share.',
      oneOf: [{ $ref: '#/components/schemas/Coin' }, { $ref: '#/components/schemas/Share' }],
    })
  })

  it('require the input fields without a default and allow no others', () => {
    expect(at('components', 'schemas', 'Range')).toMatchObject({
      required: ['from'],
      additionalProperties: false,
    })
  })
})

describe('parameters', () => {
  it('carry default, bounds and example', () => {
    const [limit, offset] = at('paths', '/v1/assets', 'get', 'parameters') as readonly unknown[]
    expect(limit).toEqual({
      name: 'limit',
      in: 'query',
      description: 'An argument.',
      schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 20 },
      example: 50,
    })
    expect(offset).toMatchObject({ schema: { default: 0 } })
  })

  it('refer to enums, state computed defaults in words, and are never nullable', () => {
    const parameters = at('paths', '/v1/echo', 'get', 'parameters') as readonly (Parameter & {
      schema: unknown
    })[]
    const byName = Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter]))
    expect(byName.kind?.schema).toEqual({ $ref: '#/components/schemas/AssetClass' })
    expect(byName.date).toMatchObject({
      description: 'An argument. Default: today.',
      schema: { type: 'string', format: 'date', maxLength: 10 },
    })
    expect(byName.at?.schema).toEqual({ type: 'string', format: 'date-time', maxLength: 35 })
    expect(byName.symbols?.schema).toMatchObject({ type: 'array', items: { type: 'string' } })
  })

  it('of POST are members of the body, except those of the path', () => {
    const schemaOf = (path: string) =>
      at('paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema')
    expect(schemaOf('/v1/screen')).toEqual({
      type: 'object',
      properties: {
        leis: {
          type: 'array',
          items: { type: 'string', maxLength: ANSWER_BYTES },
          minItems: 1,
          maxItems: 50,
          description: 'An argument.',
        },
      },
      required: ['leis'],
      additionalProperties: false,
    })
    expect(schemaOf('/auth/keys/{key_id}/rotate')).toMatchObject({ properties: { grace_seconds: {} } })
    expect(at('paths', '/auth/keys/{key_id}/rotate', 'post', 'requestBody', 'required')).toBe(false)
    expect(schemaOf('/auth/keys')).toMatchObject({
      required: ['label'],
      properties: {
        count: { type: ['integer', 'null'] },
        range: { anyOf: [{ $ref: '#/components/schemas/Range' }, { type: 'null' }] },
        steps: { type: 'integer', default: 3 },
      },
    })
  })
})
