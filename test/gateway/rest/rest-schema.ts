import {
  GraphQLBoolean,
  GraphQLError,
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql'
import { ApiError, notFound } from '../../../src/core/errors.js'
import type { EndpointSpec, RestRoute } from '../../../src/schema-kit/endpoint.js'
import { DateScalar, DateTimeScalar, JsonObjectScalar } from '../../../src/schema-kit/scalars.js'

import { Asset, AssetClass, AssetList, Echo, Even, Range, Thing } from './rest-types.js'

export const NOW = new Date('2026-03-02T10:00:00.000Z')

const BITCOIN = {
  id: 'bitcoin',
  name: 'Bitcoin',
  asset_class: 'crypto',
  price: null,
  listed_on: '2010-07-17',
  updated_at: NOW,
  aliases: ['XBT'],
}

type Field = GraphQLFieldConfig<unknown, unknown>

function field(
  config: Omit<Field, 'extensions' | 'description'>,
  rest: Omit<RestRoute, 'tag'>,
  spec: Partial<EndpointSpec> = {},
): Field {
  const endpoint: EndpointSpec = {
    access: 'caller',
    cost: 'metered',
    rest: { ...rest, tag: 'tests' },
    summary: `Summary of ${rest.path}`,
    errors: [],
    reads: null,
    check: (args) => args,
    waits: () => false,
    ...spec,
  }
  return { ...config, description: `Description of ${rest.path}.`, extensions: { endpoint } }
}

const echo = (_: unknown, args: Record<string, unknown>) => ({ args: JSON.parse(JSON.stringify(args)) })

const input = (type: GraphQLInputType) => ({
  type,
  description: 'An argument.',
})

const query: Record<string, Field> = {
  assets: field(
    {
      type: new GraphQLNonNull(AssetList),
      args: {
        limit: {
          ...input(GraphQLInt),
          defaultValue: 20,
          extensions: { hints: { minimum: 1, maximum: 100, example: 50 } },
        },
        offset: { ...input(GraphQLInt), defaultValue: 0 },
        tier: input(GraphQLInt),
        asset_class: input(AssetClass),
      },
      resolve: () => ({ data: [BITCOIN], meta: { total: 45, cache_hit: false } }),
    },
    {
      method: 'GET',
      path: '/v1/assets',
      table: { rows: 'data', total: 'meta.total', paging: { by: 'offset' } },
    },
    { errors: ['conflict'] },
  ),
  asset: field(
    {
      type: Asset,
      args: { id: input(new GraphQLNonNull(GraphQLID)) },
      resolve: (_, { id }) => {
        if (id === 'bitcoin') return BITCOIN
        if (id === 'null') return null
        throw notFound(`No asset ${String(id)}.`)
      },
    },
    { method: 'GET', path: '/v1/assets/{id}' },
  ),
  asset_ai: field(
    { type: Echo, args: { id: input(new GraphQLNonNull(GraphQLID)) }, resolve: echo },
    { method: 'GET', path: '/v1/assets/{id}/ai' },
    { access: 'ai:read' },
  ),
  countries: field(
    { type: Echo, resolve: () => ({ args: { route: 'countries' } }) },
    { method: 'GET', path: '/v1/macro/bis/countries' },
  ),
  series: field(
    {
      type: Echo,
      args: { dataset: input(new GraphQLNonNull(GraphQLString)), key: input(new GraphQLNonNull(GraphQLInt)) },
      resolve: echo,
    },
    { method: 'GET', path: '/v1/macro/{dataset}/{key}' },
  ),
  echo: field(
    {
      type: Echo,
      args: {
        int: input(GraphQLInt),
        float: input(GraphQLFloat),
        boolean: input(GraphQLBoolean),
        kind: input(AssetClass),
        text: input(GraphQLString),
        id: input(GraphQLID),
        date: { ...input(DateScalar), extensions: { hints: { defaultText: 'today' } } },
        at: input(DateTimeScalar),
        even: input(Even),
        symbols: input(new GraphQLList(new GraphQLNonNull(GraphQLString))),
        numbers: input(new GraphQLList(new GraphQLNonNull(GraphQLInt))),
      },
      resolve: echo,
    },
    { method: 'GET', path: '/v1/echo' },
    { access: 'open', cost: 'free' },
  ),
  forex: field(
    {
      type: Echo,
      args: {
        quote: { ...input(new GraphQLNonNull(GraphQLString)), extensions: { hints: { example: 'USD' } } },
        base: { ...input(GraphQLString), defaultValue: 'EUR' },
      },
      resolve: echo,
    },
    { method: 'GET', path: '/v1/forex' },
    { reads: ['forex'] },
  ),
  screen: field(
    {
      type: Echo,
      args: {
        leis: {
          ...input(new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLString)))),
          extensions: { hints: { minimum: 1, maximum: 50 } },
        },
      },
      resolve: echo,
    },
    { method: 'POST', path: '/v1/screen' },
    { reads: ['screening'] },
  ),
  thing: field({ type: Thing, resolve: () => ({ mic: 'XNAS' }) }, { method: 'GET', path: '/v1/thing' }),
  fail: field(
    {
      type: Echo,
      args: {
        how: { ...input(new GraphQLNonNull(GraphQLString)), extensions: { hints: { example: 'forbidden' } } },
      },
      resolve: (_, { how }) => fail(String(how)),
    },
    { method: 'GET', path: '/v1/fail' },
  ),
}

const mutation: Record<string, Field> = {
  create: field(
    {
      type: Echo,
      args: {
        label: input(new GraphQLNonNull(GraphQLString)),
        count: input(GraphQLInt),
        ratio: input(GraphQLFloat),
        is_dry: input(GraphQLBoolean),
        kind: input(AssetClass),
        expires_at: input(DateTimeScalar),
        range: input(Range),
        options: input(JsonObjectScalar),
        steps: { ...input(new GraphQLNonNull(GraphQLInt)), defaultValue: 3 },
      },
      resolve: echo,
    },
    { method: 'POST', path: '/auth/keys', status: 201, idempotent: true },
  ),
  rotate: field(
    {
      type: Echo,
      args: { key_id: input(new GraphQLNonNull(GraphQLID)), grace_seconds: input(GraphQLInt) },
      resolve: echo,
    },
    { method: 'POST', path: '/auth/keys/{key_id}/rotate' },
  ),
  remove: field(
    {
      type: GraphQLBoolean,
      args: { key_id: input(new GraphQLNonNull(GraphQLID)) },
      resolve: () => true,
    },
    { method: 'DELETE', path: '/auth/keys/{key_id}', status: 204 },
  ),
}

const RETRY_AFTER = NOW.getTime() / 1000 + 90

function fail(how: string): never {
  switch (how) {
    case 'unauthorized':
      throw new ApiError('unauthorized')
    case 'forbidden':
      throw new ApiError('forbidden', { requiredScope: 'ai:read', upgrade: true, message: 'Needs ai:read.' })
    case 'conflict':
      throw new ApiError('conflict')
    case 'rate_limit_exceeded':
      throw new ApiError('rate_limit_exceeded', { retryAfter: RETRY_AFTER, upgrade: true })
    case 'service_unavailable':
      throw new ApiError('service_unavailable', { cause: new Error('connection to 10.0.0.7 refused') })
    case 'wrapped':
      throw new GraphQLError('outer', { originalError: notFound('Wrapped twice.') })
    case 'graphql':
      throw new GraphQLError('secret of the executor')
    default:
      throw new Error('password=hunter2')
  }
}

export const schema = new GraphQLSchema({
  query: new GraphQLObjectType({ name: 'Query', fields: query }),
  mutation: new GraphQLObjectType({ name: 'Mutation', fields: mutation }),
})
