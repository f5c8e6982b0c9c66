import type { Slug } from '../../../core/identifiers.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { CANDLE_HISTORY_DAYS } from '../../../policy/limits.js'
import { type AssetArguments, parseAssetName } from '../../assets/by-service.js'
import { windowCount } from '../model.js'
import { candleGrainOf } from './candle-grains-model.js'
import {
  type CandleArguments,
  type CandleQuery,
  olderWindowsArguments,
  parseCandleQuery,
} from './candle-query-service.js'

/** A checked query for the windows of one asset. */
export interface CandleSeriesQuery {
  readonly slug: Slug
  readonly query: CandleQuery
}

/** The options of every endpoint that lists the windows of one asset. `parseCandleSeries` checks their arguments. */
export function candleSeries<Query extends CandleSeriesQuery>() {
  return {
    access: 'caller',
    partScopes: ['ohlcv:intraday', 'history:full'],
    tag: 'candles',
    errors: ['forbidden', 'not_found'],
    reads: ['instruments', 'candles'],
    grains: ({ slug, query }: Query, context: RequestContext) => [
      candleGrainOf(slug, query.windows, context),
    ],
    assetOf: ({ slug }: Query) => slug,
    rows: ({ query }: Query) => windowCount(query.windows),
    nextPage: ({ query }: Query) => olderWindowsArguments(query.windows),
  } as const
}

/** Ends the description of such an endpoint. */
export const CANDLE_ACCESS =
  'An asset that no exchange trades gets a 404. ' +
  `1h needs ohlcv:intraday. Windows older than ${CANDLE_HISTORY_DAYS} days need history:full.`

export async function parseCandleSeries(
  args: AssetArguments & CandleArguments,
  context: RequestContext,
): Promise<CandleSeriesQuery> {
  const query = parseCandleQuery(args, context)
  return { slug: await parseAssetName(args, context), query }
}
