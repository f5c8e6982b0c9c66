import { downloadFeedWith, runNews, runNewsFile } from '../../ingest/datasets/news/run-news.js'
import { IngestError } from '../../ingest/feed.js'
import { NEWS_FEED } from '../../ingest/providers/rss/rss.js'
import { fetchBodyWith } from '../../ingest/run/ask-for-body.js'
import { UsageError } from '../usage-error.js'
import { assertNoCandleOptions, type Options, type Outcome, type World } from './command.js'
import { summarizeRun, summarizeRuns } from './feed.js'

/** Runs `news-rss`, which loads the configured feeds, or one from a file. */
export async function ingestNews({ http, newsFeeds, ...world }: World, options: Options): Promise<Outcome> {
  assertNoCandleOptions(options)
  const [path, ...more] = options.files
  if (more.length > 0) throw new UsageError(`${NEWS_FEED} needs one file`)
  const deps = { ...world, fetchBody: fetchBodyWith(http), downloadBody: downloadFeedWith(http) }
  if (path !== undefined) return summarizeRun(NEWS_FEED, await runNewsFile(deps, { kind: 'file', path }))
  if (newsFeeds.length === 0)
    throw new IngestError(`${NEWS_FEED} is off; set NEWS_FEEDS, or give a file by --file`)
  return summarizeRuns(NEWS_FEED, 'feeds', await runNews(deps, { urls: newsFeeds }))
}
