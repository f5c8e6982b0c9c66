import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { PrismaPg } from '@prisma/adapter-pg'
import { GraphQLDateTime } from 'graphql-scalars'
import { createSchema, createYoga } from 'graphql-yoga'
import { windowsOf } from './windows.js'

// The nested case as one nested read of Prisma's client, with the arguments taken from the selection.

/** A decimal of Prisma. */
interface Decimal {
  toNumber(): number
}

interface CandleModel {
  readonly ts: Date
  readonly vwapUsd: Decimal | null
  readonly volumeUsd: Decimal | null
  readonly exchangesCount: number
}

interface AssetModel {
  readonly assetId: number
  readonly ticker: string
  readonly name: string
  readonly tier: number | null
  readonly lastUpdated: Date
  readonly newest: readonly CandleModel[]
  readonly analyses: readonly {
    readonly snapshotId: string
    readonly generatedAt: Date
    readonly content: string
    readonly modelId: string
    readonly methodologyVersion: string
  }[]
  readonly candles: readonly CandleModel[]
}

interface Client {
  readonly asset: { findMany(query: object): Promise<readonly AssetModel[]> }
}

// The client is generated when the benchmark starts, so it does not exist while types are checked.
const { PrismaClient } = createRequire(import.meta.url)('../../../prisma/client') as {
  PrismaClient: new (options: object) => Client
}

const POOL_SIZE = 10

const prisma = new PrismaClient({
  adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL, max: POOL_SIZE }),
})

const HOUR_MS = 3_600_000

/** Hours before now that may contain the newest price: a few rows per asset, of which Prisma keeps one. */
const NEWEST_HOURS = 6

function readPage(assetClass: string, limit: number): Promise<readonly AssetModel[]> {
  const now = new Date()
  const { first, end } = windowsOf({ timeframe: '1d', limit: 30 })
  const since = new Date(now.getTime() - NEWEST_HOURS * HOUR_MS)
  return prisma.asset.findMany({
    where: { assetClass },
    orderBy: { assetId: 'asc' },
    take: limit,
    include: {
      newest: {
        where: { timeframe: 'hour', knownTo: null, ts: { gte: since } },
        orderBy: { ts: 'desc' },
        take: 1,
      },
      analyses: {
        where: { analysisType: 'market_context', source: 'seed', knownFrom: { lte: now }, correction: null },
        orderBy: [{ generatedAt: 'desc' }, { sequence: 'desc' }],
        take: 5,
      },
      candles: {
        where: { timeframe: 'day', knownTo: null, ts: { gte: first, lt: end } },
        orderBy: { ts: 'asc' },
        take: 30,
      },
    },
  })
}

function candleOf({ ts, vwapUsd, volumeUsd, exchangesCount }: CandleModel) {
  return {
    ts,
    vwap_usd: vwapUsd?.toNumber() ?? null,
    volume_usd: volumeUsd?.toNumber() ?? null,
    exchanges_count: exchangesCount,
    consensus_status: vwapUsd === null ? 'insufficient_sources' : 'ok',
  }
}

function cardOf({ newest: [newest], ...asset }: AssetModel) {
  return {
    asset_id: asset.assetId,
    ticker: asset.ticker,
    name: asset.name,
    tier: asset.tier,
    price_consensus_usd: newest?.vwapUsd?.toNumber() ?? null,
    last_updated: newest ? new Date(newest.ts.getTime() + HOUR_MS) : asset.lastUpdated,
    analyses: asset.analyses,
    candles: asset.candles,
  }
}

type Card = ReturnType<typeof cardOf>

function itemOf(snapshot: Card['analyses'][number]) {
  const content = JSON.parse(snapshot.content) as { summary: string; sentiment_score: number | null } // as stored
  return {
    snapshot_id: snapshot.snapshotId,
    generated_at: snapshot.generatedAt,
    sentiment_score: content.sentiment_score,
    summary: content.summary,
    provenance: { model_id: snapshot.modelId, methodology_version: snapshot.methodologyVersion },
  }
}

const schema = createSchema({
  typeDefs: readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8'),
  resolvers: {
    DateTime: GraphQLDateTime,
    Query: {
      assets: async (_root, args: { asset_class: string; limit: number }) => ({
        data: (await readPage(args.asset_class, args.limit)).map(cardOf),
      }),
    },
    AssetCard: {
      ai_analysis_history: (card: Card) => ({ items: card.analyses.map(itemOf) }),
      ohlcv: (card: Card) => ({ candles: card.candles.map(candleOf) }),
    },
  },
})

const yoga = createYoga({
  schema,
  maxRequestBodySize: false,
  graphiql: false,
  landingPage: false,
  logging: false,
})

createServer(yoga).listen(Number(process.env.PORT), '127.0.0.1')
