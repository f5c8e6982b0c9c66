import { IngestError } from '../../feed.js'
import { NEWS_FEED } from '../../providers/rss/rss.js'
import { fetchBodyWith } from '../../run/ask-for-body.js'
import { type Job, jobOutcomeOfSeveral } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { downloadFeedWith, runNews } from './run-news.js'

const JITTER_MS = 300_000

/** Reads the headlines of the feeds at these addresses, at least one. */
export function newsJob(urls: readonly string[], masters: string | null): Job {
  return {
    name: NEWS_FEED,
    dataset: 'news',
    cadence: 'every 30 minutes, where NEWS_FEEDS is set',
    schedule: byCron('5,35 * * * *', JITTER_MS),
    feeds: [NEWS_FEED],
    ...(masters === null ? {} : { needs: masters }),
    run: async ({ http, signal, ...context }) => {
      const transports = { fetchBody: fetchBodyWith(http), downloadBody: downloadFeedWith(http) }
      const summary = await runNews({ ...context, ...transports }, { urls, signal })
      const [failed] = summary.failed
      if (summary.done === 0 && failed !== undefined)
        throw new IngestError(`no feed was read: ${failed.name}: ${failed.reason}`)
      return jobOutcomeOfSeveral(summary)
    },
  }
}
