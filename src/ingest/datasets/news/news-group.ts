import { newsFeedName } from '../../../config/news-feeds.js'
import { loadMasters } from '../../../domains/instruments/masters/masters-store.js'
import { headlineRule } from '../../../domains/news/headline-model.js'
import type { FindMentions } from '../../../domains/news/model.js'
import type { DownloadClient } from '../../../platform/http-client/http-client.js'
import { redactUrl } from '../../../platform/http-client/redact-url.js'
import { bindFeed, IngestError } from '../../feed.js'
import type { FeedGroup, GroupDeps } from '../../feed-group.js'
import { NEWS_FEED, newsFeed } from '../../providers/rss/rss.js'
import { downloadBodyWith } from '../../run/ask-for-body.js'
import type { DownloadBody } from '../../run/feed-body.js'
import { type RunSummary, runFeed } from '../../run/run-feed.js'
import { type FeedsSummary, runFeeds } from '../../run/run-feeds.js'
import { reportOfRun, reportOfRuns } from '../../run-report.js'
import { byCron } from '../../schedule.js'
import { newsSink } from './ingestion.js'

/** A feed has a few hundred kilobytes and arrives at once. */
const MAX_FEED_BYTES = 8 * 2 ** 20
const FEED_TIMEOUT_MS = 60_000
const FEED_RETRIES = 1

/** Feed name of headlines from a file. */
const FILE_NAME = 'file'

/** Downloads a feed within the limits of a feed. */
function downloadFeedWith(client: DownloadClient): DownloadBody {
  const bounds = { timeoutMs: FEED_TIMEOUT_MS, maxBytes: MAX_FEED_BYTES, retries: FEED_RETRIES }
  return downloadBodyWith({ download: (request, path) => client.download({ ...request, ...bounds }, path) })
}

/** Reads the headlines of the configured feeds, each as a separate run, or of one from a file. Headlines refer to crypto assets. */
export const newsGroup: FeedGroup<FeedsSummary | RunSummary> = {
  name: NEWS_FEED,
  job: {
    dataset: 'news',
    cadence: 'every 30 minutes, where NEWS_FEEDS is set',
    schedule: byCron('5,35 * * * *', 300_000),
    needsAssets: true,
    isOn: ({ newsFeeds }) => newsFeeds.length > 0,
  },
  command: {
    options: ['file'],
    help: [
      'Headlines of the RSS or Atom feeds in NEWS_FEEDS: title, link, editor, time, and the crypto assets',
      'that the title names; the terms of each publisher apply',
      'files: feed.xml',
    ],
  },
  run: async (deps, { source }) => {
    const { newsFeeds: urls } = deps.settings
    if (source.kind === 'live' && urls.length === 0)
      throw new IngestError(`${NEWS_FEED} is off; set NEWS_FEEDS, or give a file by --file`)
    const findMentions = await ruleOf(deps)
    if (source.kind !== 'live') {
      const bound = bindFeed(newsFeed({ url: null, name: FILE_NAME, findMentions }), newsSink)
      return reportOfRun(NEWS_FEED, await runFeed(deps, bound, source))
    }
    const runs = urls.map((url) => {
      const name = newsFeedName(url, redactUrl(url))
      return { name, bound: bindFeed(newsFeed({ url, name, findMentions }), newsSink), source }
    })
    const summary = await runFeeds({ ...deps, downloadBody: downloadFeedWith(deps.http) }, runs)
    const [failed] = summary.failed
    const failure = failed && `no feed was read: ${failed.name}: ${failed.reason}`
    return { ...reportOfRuns(NEWS_FEED, 'feeds', summary), ...(summary.isOut ? { failure } : {}) }
  },
}

async function ruleOf({ database }: GroupDeps): Promise<FindMentions> {
  const masters = await loadMasters(database)
  const assets = masters.filter(({ assetClass }) => assetClass === 'crypto')
  if (assets.length === 0)
    throw new IngestError('the database has no crypto assets yet; ingest reference or instruments first')
  return headlineRule(assets)
}
