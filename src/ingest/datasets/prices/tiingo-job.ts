import {
  TIINGO_DIVIDENDS_FEED,
  TIINGO_PRICES_FEED,
  TIINGO_SPLITS_FEED,
} from '../../providers/tiingo/daily-feeds.js'
import { fetchBodyWith } from '../../run/ask-for-body.js'
import { type Job, jobOutcomeOfSeveral } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { runTiingo } from './run-tiingo.js'

const JITTER_MS = 600_000

/** Requests the prices, splits and dividends of the day, after the close in New York. */
export function tiingoJob(masters: string | null): Job {
  return {
    name: TIINGO_PRICES_FEED,
    dataset: 'prices',
    cadence: 'each evening in New York; needs TIINGO_API_KEY',
    schedule: byCron('30 1 * * *', JITTER_MS),
    feeds: [TIINGO_PRICES_FEED, TIINGO_SPLITS_FEED, TIINGO_DIVIDENDS_FEED],
    keyVariable: 'TIINGO_API_KEY',
    ...(masters === null ? {} : { needs: masters }),
    run: async ({ http, signal, ...context }) =>
      jobOutcomeOfSeveral(await runTiingo(context, { fetchBody: fetchBodyWith(http), signal })),
  }
}
