import fastify from 'fastify'
import { candlesAnswer, latestAnswer, ratesAnswer } from './answers.js'
import { assetAnswer, assetsAnswer } from './cards.js'
import { datasetOf } from './datasets.js'
import {
  assetResponse,
  assetsResponse,
  candlesResponse,
  latestResponse,
  ratesResponse,
} from './response-schemas.js'
import {
  CANDLES,
  type CandleRow,
  LATEST,
  RATES,
  type RateRow,
  rowsOf,
  type SnapshotRow,
} from './statements.js'
import { daysOf, windowsOf } from './windows.js'

// The same responses with one handler and one prepared statement per route, without keys, limits and history.
const app = fastify()

const NOTHING = { code: 404, message: 'There is no such thing.' } as const

const integer = { type: 'integer' } as const
const text = { type: 'string' } as const
const day = { ...text, format: 'date' } as const

app.get<{ Querystring: { asset_class: string; limit: number; offset: number } }>(
  '/v1/assets',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: {
          asset_class: text,
          limit: { ...integer, minimum: 1, maximum: 100, default: 20 },
          offset: { ...integer, minimum: 0, default: 0 },
        },
      },
      response: { 200: assetsResponse },
    },
  },
  async ({ query }, reply) => {
    const answer = await assetsAnswer(query)
    return answer.data.length === 0 ? reply.code(NOTHING.code).send(NOTHING) : answer
  },
)

app.get<{ Params: { id: string } }>(
  '/v1/assets/:id',
  { schema: { response: { 200: assetResponse } } },
  async ({ params }, reply) => {
    return (await assetAnswer(params.id)) ?? reply.code(NOTHING.code).send(NOTHING)
  },
)

app.get<{ Querystring: { quote: string; from?: string; to?: string } }>(
  '/v1/forex',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: { quote: text, from: day, to: day },
        required: ['quote'],
      },
      response: { 200: ratesResponse },
    },
  },
  async ({ query }) => {
    const { from, to } = daysOf(query)
    const rows = await rowsOf<RateRow>(RATES, [query.quote, from, to])
    return ratesAnswer(query.quote, rows, await datasetOf('forex'))
  },
)

app.get<{
  Params: { id: string }
  Querystring: { timeframe: string; limit: number; from?: string; to?: string }
}>(
  '/v1/assets/:id/ohlcv',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: {
          timeframe: { ...text, enum: ['1h', '1d'], default: '1d' },
          limit: { ...integer, minimum: 1, maximum: 1000, default: 500 },
          from: { ...text, format: 'date-time' },
          to: { ...text, format: 'date-time' },
        },
      },
      response: { 200: candlesResponse },
    },
  },
  async ({ params: { id: slug }, query }, reply) => {
    const { timeframe, limit } = query
    const from = query.from === undefined ? null : new Date(query.from)
    const to = query.to === undefined ? null : new Date(query.to)
    const { first, end, total } = windowsOf({ timeframe, limit, from, to })
    const rows = await rowsOf<CandleRow>(CANDLES, [slug, timeframe, first, end])
    if (rows.length === 0) return reply.code(NOTHING.code).send(NOTHING)
    return candlesAnswer({ slug, timeframe, total }, rows, await datasetOf('candles'))
  },
)

app.get<{ Params: { id: string } }>(
  '/v1/assets/:id/ai-analysis/latest',
  { schema: { response: { 200: latestResponse } } },
  async ({ params }, reply) => {
    const { source } = await datasetOf('analysis')
    const [row] = await rowsOf<SnapshotRow>(LATEST, [params.id, 'market_context', source])
    return row === undefined ? reply.code(NOTHING.code).send(NOTHING) : latestAnswer(row)
  },
)

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
