import { newsFeedName } from '../../../core/news-feeds.js'
import { loadMasters } from '../../../domains/instruments/masters-store.js'
import { headlineRule } from '../../../domains/news/headline-model.js'
import type { FindMentions } from '../../../domains/news/model.js'
import type { DownloadClient } from '../../../platform/http-client/http-client.js'
import { redactUrl } from '../../../platform/http-client/redact-url.js'
import { type BoundFeed, bindFeed, IngestError } from '../../feed.js'
import { newsFeed } from '../../providers/rss/rss.js'
import { downloadBodyWith } from '../../run/ask-for-body.js'
import type { BodySource, DownloadBody } from '../../run/feed-body.js'
import { type RunDeps, type RunSummary, runFeed } from '../../run/run-feed.js'
import { type FeedsSummary, runFeeds } from '../../run/run-feeds.js'
import { newsSink } from './ingestion.js'

/** A feed has a few hundred kilobytes and arrives at once. */
const MAX_FEED_BYTES = 8 * 2 ** 20
const FEED_TIMEOUT_MS = 60_000
const FEED_RETRIES = 1

/** Feed name of headlines from a file. */
const FILE_NAME = 'file'

interface NewsOptions {
  readonly urls: readonly string[]
  readonly signal?: AbortSignal
}

/** Downloads a feed within the limits of a feed. */
export function downloadFeedWith(client: DownloadClient): DownloadBody {
  const bounds = { timeoutMs: FEED_TIMEOUT_MS, maxBytes: MAX_FEED_BYTES, retries: FEED_RETRIES }
  return downloadBodyWith({ download: (request, path) => client.download({ ...request, ...bounds }, path) })
}

/** Reads each feed as a separate run. Throws like `runFeeds`, and IngestError while the database has no assets. */
export async function runNews(deps: RunDeps, { urls, signal }: NewsOptions): Promise<FeedsSummary> {
  const findMentions = await ruleOf(deps)
  const runs = urls.map((url) => {
    const name = newsFeedName(url, redactUrl(url))
    return { name, bound: boundFeed({ url, name, findMentions }), source: { kind: 'live' } as const }
  })
  return runFeeds(deps, runs, signal === undefined ? {} : { signal })
}

/** Reads a feed from a file. Throws like `runFeed`, and IngestError while the database has no assets. */
export async function runNewsFile(deps: RunDeps, source: BodySource): Promise<RunSummary> {
  const findMentions = await ruleOf(deps)
  return runFeed(deps, boundFeed({ url: null, name: FILE_NAME, findMentions }), source)
}

function boundFeed(options: Parameters<typeof newsFeed>[0]): BoundFeed {
  return bindFeed(newsFeed(options), newsSink)
}

/** Headlines refer to crypto assets. */
async function ruleOf({ database }: RunDeps): Promise<FindMentions> {
  const masters = await loadMasters(database)
  const assets = masters.filter(({ assetClass }) => assetClass === 'crypto')
  if (assets.length === 0)
    throw new IngestError('the database has no crypto assets yet; ingest reference or instruments first')
  return headlineRule(assets)
}
