import { loadAssetsBySlug } from '../../../domains/assets/store.js'
import { COIN_METRICS_FEED } from '../../providers/coinmetrics/asset-csv.js'
import { downloadBodyWith, fetchBodyWith } from '../../run/ask-for-body.js'
import { type Job, jobOutcomeOfSeveral } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { COIN_METRICS_ASSETS, runCoinMetrics } from './run-coin-metrics.js'

const JITTER_MS = 1_800_000

/** Keeps the on-chain figures of Coin Metrics, for operators whose use its terms (CC BY-NC 4.0) allow. */
export function coinMetricsJob(masters: string | null): Job {
  return {
    name: COIN_METRICS_FEED,
    dataset: 'asset_onchain',
    cadence: 'every day, where COINMETRICS=on',
    schedule: byCron('10 7 * * *', JITTER_MS),
    feeds: [COIN_METRICS_FEED],
    ...(masters === null ? {} : { needs: masters }),
    run: async ({ http, ...context }) => {
      const assets = await loadAssetsBySlug(context.database, COIN_METRICS_ASSETS)
      const transports = { fetchBody: fetchBodyWith(http), downloadBody: downloadBodyWith(http) }
      return jobOutcomeOfSeveral(await runCoinMetrics({ ...context, ...transports }, [...assets.values()]))
    },
  }
}
