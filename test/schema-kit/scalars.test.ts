import { getNamedType, isNonNullType, isObjectType, isScalarType, isSpecifiedScalarType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { graphSchema } from '../../src/schema.js'
import { BigIntScalar, DateScalar, UrlScalar, UuidScalar } from '../../src/schema-kit/scalars.js'

const roots = [graphSchema.getQueryType(), graphSchema.getMutationType(), graphSchema.getSubscriptionType()]

/** Fields of responses with their types. */
const fields = Object.values(graphSchema.getTypeMap())
  .filter((type) => isObjectType(type) && !type.name.startsWith('__') && !roots.includes(type))
  .flatMap((type) =>
    (isObjectType(type) ? Object.values(type.getFields()) : []).map((field) => ({ type, field })),
  )

const ofScalar = (name: string) =>
  fields
    .filter(({ field }) => getNamedType(field.type).name === name)
    .map(({ type, field }) => `${type.name}.${field.name}`)

describe('the scalars of the schema', () => {
  it('each link to their specification', () => {
    const own = Object.values(graphSchema.getTypeMap()).filter(
      (type) => isScalarType(type) && !isSpecifiedScalarType(type),
    )
    expect(own.map(({ name }) => name).toSorted()).toEqual([
      'BigInt',
      'Date',
      'DateTime',
      'JSON',
      'JSONObject',
      'URL',
      'UUID',
      '_Any',
    ])
    for (const type of own)
      expect(isScalarType(type) && type.specifiedByURL, type.name).toMatch(/^https:\/\//)
  })

  it('write a day of Prisma’s client, which is midnight UTC, as the text of the day', () => {
    expect(DateScalar.serialize(new Date('2026-01-31T00:00:00Z'))).toBe('2026-01-31')
    expect(DateScalar.serialize('2026-01-31')).toBe('2026-01-31')
    expect(() => DateScalar.serialize(new Date(Number.NaN))).toThrow()
  })

  it('include UUID for every field that is described as a UUID', () => {
    expect(ofScalar('UUID').length).toBeGreaterThan(12)
    const said = fields.filter(({ field }) => /^UUID of/.test(field.description ?? ''))
    expect(said.length).toBeGreaterThan(12)
    for (const { type, field } of said)
      expect(getNamedType(field.type).name, `${type.name}.${field.name}`).toBe('UUID')
  })

  it('include URL for the URLs that the gateway checks or creates', () => {
    expect(ofScalar('URL').toSorted()).toEqual([
      'AIHistoryMeta.methodology_url',
      'AiMetadata.methodology_url',
      'UpsellMarker.upgrade_url',
      'Webhook.url',
    ])
  })

  it('include BigInt for counts that exceed 32 bits', () => {
    expect(ofScalar('BigInt')).toEqual(
      expect.arrayContaining([
        'AddressSnapshot.block_number',
        'OnchainMetricsResponse.active_addresses',
        'OnchainMetricsResponse.tx_count',
        'FactOnchainCoreRead.tx_count',
      ]),
    )
  })

  it('return stored values unchanged and reject values of another type', () => {
    const uuid = 'cffca5b3-75af-846b-8ddd-06794e1e0945'
    expect(UuidScalar.serialize(uuid)).toBe(uuid)
    expect(() => UuidScalar.serialize(7)).toThrow('not string')
    expect(UrlScalar.serialize('https://example.com')).toBe('https://example.com')
    expect(BigIntScalar.serialize(2 ** 40)).toBe(2 ** 40)
    expect(BigIntScalar.serialize(0)).toBe(0)
    expect(() => BigIntScalar.serialize(1.5)).toThrow()
    expect(() => BigIntScalar.serialize('many')).toThrow()
  })
})

describe('members of responses', () => {
  it('have a non-null `_meta`, except for the list of SQL credentials, which contains no data', () => {
    const metas = fields.filter(({ field }) => field.name === '_meta')
    expect(metas.length).toBeGreaterThan(50)
    const nullable = metas.filter(({ field }) => !isNonNullType(field.type)).map(({ type }) => type.name)
    expect(nullable).toEqual(['SqlCredentialsList'])
  })

  it('say in their description when they are null, or their type says it of all', () => {
    const silent = fields.filter(
      ({ type, field }) =>
        !isNonNullType(field.type) && !/\bnull\b/i.test(`${field.description} ${type.description}`),
    )
    expect(silent.map(({ type, field }) => `${type.name}.${field.name}`)).toEqual([])
  })
})
