import { loadIsinProgress, loadIsinsToAsk } from '../../../domains/instruments/isins/isin-candidates-store.js'
import { LISTED_ISINS_FEED, listedIsinsOf } from '../../providers/openfigi/listed-isins.js'
import type { OpenFigiAccount } from '../../providers/openfigi/mapping-request.js'
import type { Job } from '../../schedule/job.js'
import { listedIsinsSink } from './ingestion.js'
import { createMappingJob } from './mapping-job.js'

/** Asks OpenFIGI which FIGIs some ISINs of holdings have. */
export function listedIsinsJob(account: OpenFigiAccount, masters: string | null): Job {
  return createMappingJob({
    ...{ name: LISTED_ISINS_FEED, cron: '5 * * * *', account, masters },
    cadence: 'hourly, until each ISIN of a holding was asked for',
    loadItems: loadIsinsToAsk,
    feedOf: (isins) => listedIsinsOf(isins, account),
    sink: listedIsinsSink,
    describeProgress: async (sql) => {
      const { all, known, open } = await loadIsinProgress(sql)
      return all === 0
        ? null
        : `${known} of ${all} listings have an ISIN; ${open} ISINs of holdings were not asked for yet`
    },
  })
}
