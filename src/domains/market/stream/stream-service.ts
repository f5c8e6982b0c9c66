import type { Given } from '../../../core/argument-parsers.js'
import { Problems } from '../../../core/problems.js'
import type { Asset } from '../../../generated/prisma/client.js'
import { followRows, liveOf } from '../../../platform/request/follow-dataset.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import {
  followedSince,
  parseRevisionCursor,
  type RevisionCursor,
} from '../../../platform/request/revision-cursor.js'
import { requireAccess } from '../../../policy/decide.js'
import { type AssetArguments, parseAssetName } from '../../assets/by-service.js'
import { getAsset } from '../../assets/service.js'
import { parseTimeframe } from '../candles/candle-query-service.js'
import type { Timeframe } from '../model.js'
import { type KnownCandle, loadKnownCandles } from '../series-store.js'
import { assertTraded } from '../service.js'

export interface CandleStreamQuery {
  readonly asset: Asset
  readonly timeframe: Timeframe
  /** The last event that the subscriber has. Null starts with the next new candle. */
  readonly after: RevisionCursor | null
}

/** A candle that became known. */
export interface CandleEvent
  extends KnownCandle,
    RevisionCursor,
    Pick<CandleStreamQuery, 'asset' | 'timeframe'> {}

/** Checks the arguments. The 422 names every wrong one, the 403 the scope for 1h. An asset without candles is a 404. */
export async function checkCandleStream(
  args: AssetArguments & { readonly timeframe?: Given<string>; readonly cursor?: Given<string> },
  context: RequestContext,
): Promise<CandleStreamQuery> {
  const problems = new Problems()
  const timeframe = parseTimeframe(problems, args.timeframe)
  const after = parseRevisionCursor(problems, context.lastEventId ?? args.cursor, context.now)
  problems.refuse()
  if (timeframe === '1h') requireAccess(context.principal, 'ohlcv:intraday')
  const asset = await getAsset(await parseAssetName(args, context), context)
  await assertTraded(asset, context)
  return { asset, timeframe, after }
}

/** Sends candles of the last two weeks when they become known: candles of windows that ended, and corrections. */
export function openCandleStream(
  { asset, timeframe, after }: CandleStreamQuery,
  context: RequestContext,
): Promise<AsyncGenerator<CandleEvent, void>> {
  return followRows(liveOf(context), 'candles', after, async (now) => {
    const wanted = { assetId: asset.assetId, timeframe, first: followedSince(now) }
    const candles = await loadKnownCandles(context.database.prisma, wanted)
    return candles.map((candle) => ({ ...candle, asset, timeframe, key: candle.ts.toISOString() }))
  })
}
