import fastify from 'fastify'
import { candlesAnswer, cardOf, cardsEnvelope, latestAnswer, ratesAnswer } from './answers.js'
import { datasetOf } from './datasets.js'
import {
  assetResponse,
  assetsResponse,
  candlesResponse,
  latestResponse,
  ratesResponse,
} from './response-schemas.js'
import {
  ASSET,
  ASSET_PAGE,
  CANDLES,
  type CandleRow,
  type CardRow,
  LATEST,
  RATES,
  type RateRow,
  rowsOf,
  type SnapshotRow,
} from './statements.js'
import { lastDays, windowsOf } from './windows.js'

// The same answers as a handler per route, one prepared statement each; no keys, no limits, no history.
const app = fastify()

const NOTHING = { code: 404, message: 'There is no such thing.' } as const

const integer = { type: 'integer' } as const
const text = { type: 'string' } as const

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
    const rows = await rowsOf<CardRow>(ASSET_PAGE, [query.asset_class, query.limit, query.offset])
    if (rows.length === 0) return reply.code(NOTHING.code).send(NOTHING)
    const total = rows[0]?.total ?? 0
    const paging = { total, has_next: query.offset + query.limit < total }
    const [master, candles] = [await datasetOf('instruments'), await datasetOf('candles')]
    return { data: rows.map(cardOf), ...cardsEnvelope(rows, master, candles, paging) }
  },
)

app.get<{ Params: { id: string } }>(
  '/v1/assets/:id',
  { schema: { response: { 200: assetResponse } } },
  async ({ params }, reply) => {
    const rows = await rowsOf<CardRow>(ASSET, [params.id])
    const [row] = rows
    if (row === undefined) return reply.code(NOTHING.code).send(NOTHING)
    const [master, candles] = [await datasetOf('instruments'), await datasetOf('candles')]
    return { data: cardOf(row), ...cardsEnvelope(rows, master, candles, {}) }
  },
)

app.get<{ Querystring: { quote: string } }>(
  '/v1/forex',
  {
    schema: {
      querystring: { type: 'object', properties: { quote: text }, required: ['quote'] },
      response: { 200: ratesResponse },
    },
  },
  async ({ query }) => {
    const { from, to } = lastDays()
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
