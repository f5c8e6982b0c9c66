import type { DatasetName } from '../core/datasets.js'
import type { RpcUrls } from '../core/rpc-urls.js'
import { analysisJob, type Wording } from './datasets/analysis/analysis-job.js'
import { etfJobs } from './datasets/etf/etf-jobs.js'
import { companyFactsJob } from './datasets/filings/company-facts-job.js'
import { forexJob } from './datasets/forex/forex-job.js'
import { coinJobs } from './datasets/instruments/coins/coin-jobs.js'
import { coinUniverseJob } from './datasets/instruments/coins/coin-universe-job.js'
import { figiSymbolsJob } from './datasets/instruments/figi-symbols-job.js'
import { listedFigisJob } from './datasets/instruments/listed-figis-job.js'
import { listedIsinsJob } from './datasets/instruments/listed-isins-job.js'
import { submissionsJob } from './datasets/instruments/submissions-job.js'
import { universeJob } from './datasets/instruments/universe-job.js'
import { tokenSupplyJob } from './datasets/market/token-supply-job.js'
import { newsJob } from './datasets/news/news-job.js'
import { addressSnapshotJob } from './datasets/onchain/address-snapshot-job.js'
import { coinMetricsJob } from './datasets/onchain-metrics/coin-metrics-job.js'
import { tiingoJob } from './datasets/prices/tiingo-job.js'
import { type ReleaseJobsOptions, releaseJobs } from './datasets/releases/release-jobs.js'
import { legalNamesJob } from './datasets/screening/legal-names-job.js'
import { openSanctionsJobs } from './datasets/screening/open-sanctions-jobs.js'
import type { OpenFigiAccount } from './providers/openfigi/mapping-request.js'
import { FEEDS } from './registry.js'
import { feedJob } from './schedule/feed-job.js'
import type { Job } from './schedule/job.js'
import { createCandlesJob } from './venues/candles-job.js'

export interface JobsOptions {
  /** Nodes of chains; a chain without a node gets no requests. */
  readonly rpcUrls?: RpcUrls
  /** Writes the texts of analyses; if absent, the rules write them. */
  readonly wording?: Wording
  /** For names of contracts; without a key Etherscan gets no requests. */
  readonly etherscanKey?: string | null
  /** The service that knows the tickers of FIGIs; without it the job for them does not exist. */
  readonly openFigi?: OpenFigiAccount
  /** Whether the operator may use OpenSanctions and has turned it on; false by default. */
  readonly hasOpenSanctions?: boolean
  /** Whether the operator may use Coin Metrics and has turned it on; false by default. */
  readonly hasCoinMetrics?: boolean
  /** URLs of news feeds; without them the news job does not exist. */
  readonly newsFeeds?: readonly string[]
  /** Where weekly releases are written, and which stay; without it no job writes any. */
  readonly weekly?: ReleaseJobsOptions
}

/** Series of statistical providers are about countries, not about assets. */
function hasNoAssets(dataset: DatasetName): boolean {
  return dataset === 'bis' || dataset === 'boj' || dataset === 'bok'
}

/** One job for each scheduled feed that no other job runs. */
function feedJobs(taken: readonly Job[], masters: string | null): readonly Job[] {
  const isTaken = (id: string) => taken.some(({ feeds }) => feeds.includes(id))
  return FEEDS.flatMap((bound) => {
    const { id, dataset, schedule } = bound.feed
    if (schedule === undefined || isTaken(id)) return []
    return [feedJob(bound, schedule, id === masters || hasNoAssets(dataset) ? null : masters)]
  })
}

/** The name of the job that creates the assets; null if none is scheduled. */
function mastersJob(): string | null {
  const bound = FEEDS.find(({ feed }) => feed.dataset === 'instruments' && feed.schedule !== undefined)
  return bound?.feed.id ?? null
}

/** Creates all jobs of a scheduler, including one for each feed with a schedule. */
export function createJobs({
  rpcUrls = new Map(),
  wording,
  etherscanKey = null,
  openFigi,
  hasOpenSanctions = false,
  hasCoinMetrics = false,
  newsFeeds = [],
  weekly,
}: JobsOptions = {}): readonly Job[] {
  const masters = mastersJob()
  const universe = universeJob(masters)
  const feeds = feedJobs([forexJob, universe], masters)
  const ofChains =
    rpcUrls.size === 0 ? [] : [tokenSupplyJob(rpcUrls, masters), addressSnapshotJob(rpcUrls, etherscanKey)]
  const lists = hasOpenSanctions ? openSanctionsJobs() : []
  const onchain = hasCoinMetrics ? [coinMetricsJob(masters)] : []
  const news = newsFeeds.length === 0 ? [] : [newsJob(newsFeeds, masters)]
  const analyses = ([1, 2, 3] as const).map((tier) => analysisJob(tier, wording))
  return [
    ...feeds,
    universe,
    coinUniverseJob(masters),
    ...coinJobs,
    ...ofChains,
    ...lists,
    ...onchain,
    ...news,
    ...etfJobs(masters),
    legalNamesJob,
    submissionsJob(masters),
    ...(openFigi === undefined
      ? []
      : [
          figiSymbolsJob(openFigi, masters),
          listedFigisJob(openFigi, masters),
          listedIsinsJob(openFigi, masters),
        ]),
    companyFactsJob(masters),
    tiingoJob(masters),
    forexJob,
    createCandlesJob(masters),
    ...analyses,
    ...(weekly === undefined ? [] : releaseJobs(weekly)),
  ]
}
