import type { OnchainDay } from '../../../domains/onchain-metrics/model.js'
import { bindFeed } from '../../feed.js'
import { type CoinMetricsAsset, coinMetricsFeed } from '../../providers/coinmetrics/asset-csv.js'
import { coinMetrics } from '../../providers/providers.js'
import type { BodySource } from '../../run/feed-body.js'
import type { RunDeps } from '../../run/run-feed.js'
import { type FeedsSummary, runFeeds } from '../../run/run-feeds.js'
import { assetOnchainSink } from './ingestion.js'

/** Assets whose files have network data; other files have prices at most. */
export const COIN_METRICS_ASSETS: readonly string[] = [
  'bitcoin',
  'ethereum',
  'xrp',
  'dogecoin',
  'cardano',
  'chainlink',
  'stellar',
  'bitcoin-cash',
  'litecoin',
  'uniswap',
  'monero',
  'aave',
  'algorand',
  'ethereum-classic',
  'tezos',
  'decred',
  'digibyte',
]

export interface CoinMetricsDeps extends RunDeps {
  readonly signal?: AbortSignal
}

/** Reads the file of each asset as a separate run. */
export function runCoinMetrics(
  { signal, ...deps }: CoinMetricsDeps,
  assets: readonly CoinMetricsAsset[],
  source: BodySource = { kind: 'live' },
): Promise<FeedsSummary> {
  const runs = assets.map((asset) => ({
    name: asset.slug,
    provider: coinMetrics.id,
    bound: bindFeed<OnchainDay>(coinMetricsFeed(asset), assetOnchainSink),
    source,
  }))
  return runFeeds(deps, runs, signal === undefined ? {} : { signal })
}
