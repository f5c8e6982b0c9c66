import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { buildOpenApi } from '../../../src/gateway/rest/openapi/openapi.js'
import { graphSchema, restSchema } from '../../../src/schema.js'

const address = 'https://api.example.com'
const document = await buildOpenApi(restSchema, {
  version: '1.2.3',
  serverUrl: address,
  environment: 'production',
  form: 'full',
})
const components = document.components.schemas as Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** What the specification names, by the member or body that is of the type. */
const MEMBERS: Readonly<Record<string, string>> = {
  'AIAnalysisChangesResponse.items': 'AssetChangeSummary',
  'AIAnalysisDiffResponse.changes': 'FieldChange',
  'BatchScreenResponse.data': 'BatchScreenResult',
  'BISDatasetsResponse.data': 'BISDatasetEntry',
  'BISCountriesResponse.data': 'BISCountryEntry',
  'BISSeriesMeta.dataset': 'BISDatasetMeta',
  'AiAnalysisItem.provenance': 'AIAnalysisProvenanceSchema',
  'AiAnalysisItem.immutability': 'AIAnalysisImmutabilitySchema',
  'AIAnalysisLatestResponse.content': 'SnapshotContent',
  'AIAnalysisLatestResponse.provenance': 'SnapshotProvenance',
  'AIAnalysisLatestResponse.immutability': 'SnapshotImmutability',
  'AIAnalysisLatestResponse.freshness': 'SnapshotFreshness',
}

const BODIES: Readonly<Record<string, string>> = {
  '/v1/sanctions/screen': 'BatchScreenRequest',
  '/auth/keys': 'ApiKeyCreateRequest',
}

/** Envelopes around what the contract itself calls a response, or an item of a list. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  OhlcvResponse: 'OhlcvEnvelope',
  FundamentalsResponse: 'FundamentalsEnvelope',
  OnchainMetricsResponse: 'OnchainMetricsEnvelope',
  NewsletterSendResponse: 'NewsletterSendEnvelope',
  SqlCredentialsListItem: 'SqlCredentialsList',
  InstrumentEtfList: 'InstrumentEtfListResponse',
}

function memberSchema(member: string): unknown {
  const [type = '', field = ''] = member.split('.')
  const { properties } = components[type] as {
    readonly properties: Readonly<Record<string, { items?: object }>>
  }
  return properties[field]?.items ?? properties[field]
}

describe('names of types', () => {
  it.each(Object.entries(MEMBERS))('%s is a %s in OpenAPI', (member, name) => {
    expect(components).toHaveProperty([name])
    expect(memberSchema(member)).toMatchObject({ $ref: `#/components/schemas/${name}` })
  })

  it('are the same in GraphQL', () => {
    for (const name of [...Object.values(MEMBERS), 'ApiKeyCreateResponse'])
      expect(graphSchema.getType(name), name).toBeDefined()
  })

  it.each(Object.entries(BODIES))('the body of POST %s is a %s', (path, name) => {
    expect(document.paths[path]?.post).toMatchObject({
      requestBody: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } },
    })
    expect(components[name]).toMatchObject({ type: 'object', additionalProperties: false })
  })

  it('a new key is an ApiKeyCreateResponse', () => {
    expect(document.paths['/auth/keys']?.post).toMatchObject({
      responses: {
        201: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/ApiKeyCreateResponse' } } },
        },
      },
    })
  })

  it('an envelope is named after its content: <Thing>Response for one, <Thing>List for several', () => {
    const envelopes = Object.values(graphSchema.getTypeMap()).filter(isObjectType).filter(isEnvelope)
    expect(envelopes.length).toBeGreaterThan(30)
    expect(envelopes.map(({ name }) => name)).toEqual(envelopes.map(expectedName))
  })
})

function isEnvelope(type: GraphQLObjectType): boolean {
  const { data, meta } = type.getFields()
  return data !== undefined && meta !== undefined && getNamedType(meta.type).name === 'ApiMeta'
}

function expectedName(type: GraphQLObjectType): string {
  const data = type.getFields().data?.type.toString() ?? ''
  const item = data.replace(/[[\]!]/g, '')
  return OTHER_NAMES[item] ?? `${item}${data.startsWith('[') ? 'List' : 'Response'}`
}
