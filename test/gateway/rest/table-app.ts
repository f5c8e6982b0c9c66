import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql'
import { notFound } from '../../../src/core/errors.js'
import { createListener } from '../../../src/gateway/http/node.js'
import { createRestTransport } from '../../../src/gateway/rest/handler.js'
import { createRestRoutes } from '../../../src/gateway/rest/routes/rest-routes.js'
import { createLogger } from '../../../src/platform/logger.js'
import { ANONYMOUS } from '../../../src/policy/principal.js'
import type { RestRoute } from '../../../src/schema-kit/endpoint.js'
import { DateScalar, DateTimeScalar } from '../../../src/schema-kit/scalars.js'
import { yogaOf } from '../../support/app/gateway-yoga.js'
import { exchangeOf, handleOf, responseOf, type Sent } from '../../support/app/transport.js'
import { NOW } from './rest-schema.js'

const text = { type: GraphQLString, description: 'A text.' }

const Point = new GraphQLObjectType({
  name: 'Point',
  description: 'A point.',
  fields: {
    date: { type: DateScalar, description: 'The day.' },
    at: { type: DateTimeScalar, description: 'The instant.' },
    value: { type: GraphQLFloat, description: 'The value.' },
    count: { type: GraphQLInt, description: 'How many.' },
    final: { type: GraphQLBoolean, description: 'No longer revised.' },
    note: text,
  },
})

const Points = new GraphQLObjectType({
  name: 'Points',
  description: 'A series.',
  fields: {
    key: text,
    points: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(Point))),
      description: 'The points.',
    },
  },
})

const Meta = new GraphQLObjectType({
  name: 'Meta',
  description: 'About the answer.',
  fields: { source: text, is_dev_dataset: { type: GraphQLBoolean, description: 'Synthetic.' } },
})

const Fresh = new GraphQLObjectType({
  name: 'Fresh',
  description: 'How fresh.',
  fields: {
    last_updated_at: { type: DateTimeScalar, description: 'When.' },
    freshness_status: text,
  },
})

const Body = new GraphQLObjectType({
  name: 'Body',
  description: 'The envelope.',
  fields: {
    data: { type: Points, description: 'The series.' },
    meta: { type: Meta, description: 'About it.' },
    _meta: { type: Fresh, description: 'Its age.' },
  },
})

export const POINTS = [
  { date: '2026-01-02', at: NOW, value: 1.0312, count: 3, final: true, note: 'plain' },
  { date: '2026-01-05', at: null, value: null, count: null, final: null, note: null },
  { date: '2026-01-06', at: NOW, value: -0.5, count: 0, final: false, note: '' },
  { date: '2026-01-07', at: NOW, value: 1e-7, count: -4, final: false, note: 'a "b", c\r\nd' },
  { date: '2026-01-08', at: NOW, value: 1e21, count: 1, final: false, note: '=1+1' },
]

export const MANY = 60_000
const many = Array.from({ length: MANY }, (_, count) => ({ ...POINTS[0], count, note: 'x'.repeat(200) }))

const rest: RestRoute = {
  method: 'GET',
  path: '/v1/points/{key}',
  tag: 'tests',
  table: { rows: 'data.points' },
}

const field = {
  type: Body,
  description: 'Points of a key.',
  args: {
    key: { type: new GraphQLNonNull(GraphQLString), description: 'Which series.' },
    step: { ...text, defaultValue: '1d' },
    from: { type: DateScalar, description: 'First day.' },
    inverse: { type: GraphQLBoolean, description: 'The other way round.' },
  },
  resolve: (_: unknown, { key }: Record<string, unknown>) => {
    if (key === 'missing') throw notFound('No such series.')
    return {
      data: { key, points: key === 'empty' ? [] : key === 'many' ? many : POINTS },
      meta: { source: 'Banque\n€', is_dev_dataset: false },
      _meta: { last_updated_at: NOW, freshness_status: 'stale' },
    }
  },
  extensions: {
    endpoint: {
      access: 'open' as const,
      cost: 'metered' as const,
      rest,
      summary: 'Points',
      errors: [],
      reads: null,
      check: (args: unknown) => args,
      waits: () => false,
    },
  },
}

export const schema = new GraphQLSchema({
  query: new GraphQLObjectType({ name: 'Query', fields: { points: field } }),
})

export const logged: string[] = []
const log = createLogger('info', { write: (line: string) => logged.push(line) })
const transport = createRestTransport({
  routes: createRestRoutes(schema),
  yoga: yogaOf(schema),
  upgradeUrl: 'https://example.com',
})
const handle = handleOf(transport, { principal: ANONYMOUS })
export const listener = createListener(handle, {
  clock: { now: () => NOW },
  log,
  hashAddress: () => 'test',
  isDraining: () => false,
})
export const ask = async (path: string, accept: string, sent: Sent = {}) => {
  const exchange = exchangeOf(path, { ...sent, headers: { accept } }, log, NOW)
  return responseOf(await handle(exchange, null), exchange.method)
}

/** The field whose answer is a series. */
export const points = () => {
  const compiled = schema.getQueryType()?.getFields().points
  if (!compiled) throw new Error('no field')
  return compiled
}
