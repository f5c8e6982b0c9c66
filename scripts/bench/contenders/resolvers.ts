import DataLoader from 'dataloader'
import { candleOf, candlesAnswer, itemOf, latestAnswer, ratesAnswer } from './answers.js'
import { assetAnswer, assetsAnswer } from './cards.js'
import { datasetOf } from './datasets.js'
import {
  CANDLES,
  CANDLES_OF_ASSETS,
  type CandleRow,
  HISTORIES,
  LATEST,
  RATES,
  type RateRow,
  rowsOf,
  type SnapshotRow,
} from './statements.js'
import { daysOf, windowsOf } from './windows.js'

// Hand-written resolvers for the gateway's schema: a statement per root field and a DataLoader per edge, without keys and
// limits. They depend on no GraphQL server and on no copy of the package graphql.

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

/** DataLoaders of one operation. */
export interface Context {
  readonly histories: DataLoader<HistoryKey, readonly SnapshotRow[], string>
  readonly candles: DataLoader<CandlesKey, readonly CandleRow[], string>
}

export function contextOf(): Context {
  return {
    histories: new DataLoader(loadHistories, { cacheKeyFn: JSON.stringify }),
    candles: new DataLoader(loadCandles, { cacheKeyFn: JSON.stringify }),
  }
}

// All assets of a page need the same series, so the first key has the arguments of all.
async function loadHistories(keys: readonly HistoryKey[]): Promise<readonly (readonly SnapshotRow[])[]> {
  const { analysisType, limit } = keys[0] as HistoryKey // DataLoader gives one at least
  const { source } = await datasetOf('analysis')
  const ids = keys.map(({ assetId }) => assetId)
  return inOrder(keys, await rowsOf<SnapshotRow>(HISTORIES, [ids, analysisType, source, limit]))
}

async function loadCandles(keys: readonly CandlesKey[]): Promise<readonly (readonly CandleRow[])[]> {
  const query = keys[0] as CandlesKey // DataLoader gives one at least
  const { first, end } = windowsOf(query)
  const ids = keys.map(({ assetId }) => assetId)
  return inOrder(keys, await rowsOf<CandleRow>(CANDLES_OF_ASSETS, [ids, query.timeframe, first, end]))
}

function inOrder<Row extends { readonly asset_id: number }>(
  keys: readonly { readonly assetId: number }[],
  rows: readonly Row[],
): readonly (readonly Row[])[] {
  const byAsset = new Map<number, Row[]>(keys.map(({ assetId }) => [assetId, []]))
  for (const row of rows) byAsset.get(row.asset_id)?.push(row)
  return keys.map(({ assetId }) => byAsset.get(assetId) ?? [])
}

/** The texts of the enum's values in REST and in the database. */
const TIMEFRAMES = { D1: '1d', H1: '1h' } as const

interface CandleArgs {
  readonly timeframe: keyof typeof TIMEFRAMES
  readonly from?: Date | null
  readonly to?: Date | null
  readonly limit: number
}

/** Resolvers of root fields. */
export const queries = {
  assets: (_root: unknown, args: { asset_class: string; limit: number; offset: number }) =>
    assetsAnswer(args),
  asset: (_root: unknown, args: { id: string }) => assetAnswer(args.id),
  forex: async (_root: unknown, args: { quote: string }) => {
    const { from, to } = daysOf({})
    const rows = await rowsOf<RateRow>(RATES, [args.quote, from, to])
    return ratesAnswer(args.quote, rows, await datasetOf('forex'))
  },
  ohlcv: async (_root: unknown, args: CandleArgs & { id: string }) => {
    const timeframe = TIMEFRAMES[args.timeframe]
    const { first, end, total } = windowsOf({ ...args, timeframe })
    const rows = await rowsOf<CandleRow>(CANDLES, [args.id, timeframe, first, end])
    return candlesAnswer({ slug: args.id, timeframe, total }, rows, await datasetOf('candles'))
  },
  ai_analysis_latest: async (_root: unknown, args: { asset_id: string; analysis_type: string }) => {
    const { source } = await datasetOf('analysis')
    const [row] = await rowsOf<SnapshotRow>(LATEST, [args.asset_id, args.analysis_type, source])
    return row && latestAnswer(row)
  },
}

/** Resolvers of the edges of a card. */
export const cardEdges = {
  ai_analysis_history: async (
    card: { asset_id: number },
    args: { analysis_type: string; limit: number },
    { histories }: Context,
  ) => {
    const key = { assetId: card.asset_id, analysisType: args.analysis_type, limit: args.limit }
    return { items: (await histories.load(key)).map(itemOf) }
  },
  ohlcv: async (card: { asset_id: number }, args: CandleArgs, { candles }: Context) => ({
    candles: (
      await candles.load({ ...args, assetId: card.asset_id, timeframe: TIMEFRAMES[args.timeframe] })
    ).map(candleOf),
  }),
}
