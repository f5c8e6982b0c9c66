import { loadAssetsBySlug } from '../../../domains/assets/store.js'
import { bindFeed, IngestError } from '../../feed.js'
import { type FeedGroup, liveRun, runEach } from '../../feed-group.js'
import { COIN_METRICS_FEED, coinMetricsFeed } from '../../providers/coinmetrics/asset-csv.js'
import type { FeedsSummary } from '../../run/run-feeds.js'
import { byCron } from '../../schedule.js'
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

/** Keeps the on-chain figures of Coin Metrics, for operators whose use its terms (CC BY-NC 4.0) allow. */
export const coinMetricsGroup: FeedGroup<FeedsSummary> = {
  name: COIN_METRICS_FEED,
  job: {
    dataset: 'asset_onchain',
    cadence: 'every day, where SCHEDULE names coinmetrics',
    schedule: byCron('10 7 * * *', 1_800_000),
    needsAssets: true,
    optIn: COIN_METRICS_FEED,
  },
  command: {
    options: ['asset', 'file'],
    help: [
      'On-chain figures by day from the community data of Coin Metrics (CC BY-NC 4.0: not for commercial use)',
      '--asset: default all assets that it has; one asset with --file',
      'files: btc.csv',
    ],
    explainSelection: ({ source, assets }) =>
      source.kind === 'file' && assets.length !== 1
        ? 'a file needs one asset, such as coinmetrics --asset bitcoin --file btc.csv'
        : null,
  },
  run: runEach(COIN_METRICS_FEED, 'assets', async ({ database }, { assets: slugs, source }) => {
    const assets = await loadAssetsBySlug(database, slugs.length === 0 ? COIN_METRICS_ASSETS : slugs)
    for (const slug of slugs) assertCrypto(slug, assets.get(slug))
    return [...assets.values()].map((asset) => ({
      ...liveRun(asset.slug, bindFeed(coinMetricsFeed(asset), assetOnchainSink)),
      source,
    }))
  }),
}

function assertCrypto(slug: string, asset: { readonly assetClass: string } | undefined): void {
  if (asset === undefined) throw new IngestError(`unknown asset ${JSON.stringify(slug)}`)
  if (asset.assetClass !== 'crypto') throw new IngestError(`${slug} is not a crypto asset`)
}
