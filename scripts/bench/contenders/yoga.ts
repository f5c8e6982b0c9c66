import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import DataLoader from 'dataloader'
import { GraphQLDateTime, GraphQLJSONObject } from 'graphql-scalars'
import { createSchema, createYoga } from 'graphql-yoga'
import {
  candleOf,
  candlesAnswer,
  cardOf,
  cardsEnvelope,
  itemOf,
  latestAnswer,
  ratesAnswer,
} from './answers.js'
import { datasetOf } from './datasets.js'
import {
  ASSET,
  ASSET_PAGE,
  CANDLES,
  CANDLES_OF_ASSETS,
  type CandleRow,
  type CardRow,
  HISTORIES,
  LATEST,
  RATES,
  type RateRow,
  rowsOf,
  type SnapshotRow,
} from './statements.js'
import { lastDays, windowsOf } from './windows.js'

// The same schema with resolvers by hand: a statement per root field, a DataLoader per edge; no keys, no limits.

interface HistoryKey {
  readonly assetId: number
  readonly analysisType: string
  readonly limit: number
}

interface CandlesKey {
  readonly assetId: number
  readonly timeframe: string
  readonly from?: Date | null
  readonly to?: Date | null
  readonly limit: number
}

interface Context {
  readonly histories: DataLoader<HistoryKey, readonly SnapshotRow[], string>
  readonly candles: DataLoader<CandlesKey, readonly CandleRow[], string>
}

function contextOf(): Context {
  return {
    histories: new DataLoader(loadHistories, { cacheKeyFn: JSON.stringify }),
    candles: new DataLoader(loadCandles, { cacheKeyFn: JSON.stringify }),
  }
}

// One page of assets asks for the same series of each: the first key stands for all.
async function loadHistories(keys: readonly HistoryKey[]): Promise<readonly (readonly SnapshotRow[])[]> {
  const { analysisType, limit } = keys[0] as HistoryKey // DataLoader gives one at least
  const { source } = await datasetOf('analysis')
  const ids = keys.map(({ assetId }) => assetId)
  return inOrder(keys, await rowsOf<SnapshotRow>(HISTORIES, [ids, analysisType, source, limit]))
}

async function loadCandles(keys: readonly CandlesKey[]): Promise<readonly (readonly CandleRow[])[]> {
  const asked = keys[0] as CandlesKey // DataLoader gives one at least
  const { first, end } = windowsOf(asked)
  const ids = keys.map(({ assetId }) => assetId)
  return inOrder(keys, await rowsOf<CandleRow>(CANDLES_OF_ASSETS, [ids, asked.timeframe, first, end]))
}

function inOrder<Row extends { readonly asset_id: number }>(
  keys: readonly { readonly assetId: number }[],
  rows: readonly Row[],
): readonly (readonly Row[])[] {
  const byAsset = new Map<number, Row[]>(keys.map(({ assetId }) => [assetId, []]))
  for (const row of rows) byAsset.get(row.asset_id)?.push(row)
  return keys.map(({ assetId }) => byAsset.get(assetId) ?? [])
}

interface CandleArgs {
  readonly timeframe: string
  readonly from?: Date | null
  readonly to?: Date | null
  readonly limit: number
}

const schema = createSchema<Context>({
  typeDefs: readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8'),
  resolvers: {
    DateTime: GraphQLDateTime,
    JSONObject: GraphQLJSONObject,
    Query: {
      assets: async (_root, args: { asset_class: string; limit: number; offset: number }) => {
        const rows = await rowsOf<CardRow>(ASSET_PAGE, [args.asset_class, args.limit, args.offset])
        const total = rows[0]?.total ?? 0
        const paging = { total, has_next: args.offset + args.limit < total }
        const [master, candles] = [await datasetOf('instruments'), await datasetOf('candles')]
        return { data: rows.map(cardOf), ...cardsEnvelope(rows, master, candles, paging) }
      },
      asset: async (_root, args: { id: string }) => {
        const rows = await rowsOf<CardRow>(ASSET, [args.id])
        const [master, candles] = [await datasetOf('instruments'), await datasetOf('candles')]
        return { data: rows.map(cardOf)[0], ...cardsEnvelope(rows, master, candles, {}) }
      },
      forex: async (_root, args: { quote: string }) => {
        const { from, to } = lastDays()
        const rows = await rowsOf<RateRow>(RATES, [args.quote, from, to])
        return ratesAnswer(args.quote, rows, await datasetOf('forex'))
      },
      ohlcv: async (_root, args: CandleArgs & { id: string }) => {
        const { first, end, total } = windowsOf(args)
        const rows = await rowsOf<CandleRow>(CANDLES, [args.id, args.timeframe, first, end])
        return candlesAnswer(
          { slug: args.id, timeframe: args.timeframe, total },
          rows,
          await datasetOf('candles'),
        )
      },
      ai_analysis_latest: async (_root, args: { asset_id: string; analysis_type: string }) => {
        const { source } = await datasetOf('analysis')
        const [row] = await rowsOf<SnapshotRow>(LATEST, [args.asset_id, args.analysis_type, source])
        return row && latestAnswer(row)
      },
    },
    AssetCard: {
      ai_analysis_history: async (
        card: { asset_id: number },
        args: { analysis_type: string; limit: number },
        { histories }: Context,
      ) => {
        const key = { assetId: card.asset_id, analysisType: args.analysis_type, limit: args.limit }
        return { items: (await histories.load(key)).map(itemOf) }
      },
      ohlcv: async (card: { asset_id: number }, args: CandleArgs, { candles }: Context) => ({
        candles: (await candles.load({ assetId: card.asset_id, ...args })).map(candleOf),
      }),
    },
  },
})

const yoga = createYoga({
  schema,
  context: contextOf,
  maxRequestBodySize: false,
  graphiql: false,
  landingPage: false,
  logging: false,
})

createServer(yoga).listen(Number(process.env.PORT), '127.0.0.1')
