import {
  COIN_METRICS_ASSETS,
  runCoinMetrics,
} from '../../ingest/datasets/onchain-metrics/run-coin-metrics.js'
import { downloadBodyWith, fetchBodyWith } from '../../ingest/run/ask-for-body.js'
import { UsageError } from '../usage-error.js'
import { loadVenueAssets } from './candles/candle-options.js'
import { assertNoCandleOptions, type Options, type Outcome, type World } from './command.js'
import { summarizeRuns } from './feed.js'

/** Runs `coinmetrics`, which loads on-chain figures of assets, or of one asset from its file. */
export async function ingestCoinMetrics({ http, ...world }: World, options: Options): Promise<Outcome> {
  const { assets: slugs, files } = options
  assertNoCandleOptions({ ...options, assets: [] })
  const [path, ...more] = files
  if (path !== undefined && (slugs.length !== 1 || more.length > 0))
    throw new UsageError('a file needs one asset, such as coinmetrics --asset bitcoin --file btc.csv')
  const assets = await loadVenueAssets(world.database, slugs.length === 0 ? COIN_METRICS_ASSETS : slugs)
  const deps = { ...world, fetchBody: fetchBodyWith(http), downloadBody: downloadBodyWith(http) }
  const summary = await runCoinMetrics(
    deps,
    assets,
    path === undefined ? { kind: 'live' } : { kind: 'file', path },
  )
  return summarizeRuns('coinmetrics', 'assets', summary)
}
