import { loadFigiProgress, loadListingsToAsk } from '../../../domains/instruments/listed-figis-store.js'
import { LISTED_FIGIS_FEED, listedFigisOf } from '../../providers/openfigi/listed-figis.js'
import type { OpenFigiAccount } from '../../providers/openfigi/mapping-request.js'
import type { Job } from '../../schedule/job.js'
import { listedFigisSink } from './ingestion.js'
import { createMappingJob } from './mapping-job.js'

/** Asks OpenFIGI for the FIGIs of some stocks and ETFs of the SEC's lists. */
export function listedFigisJob(account: OpenFigiAccount, masters: string | null): Job {
  return createMappingJob({
    ...{ name: LISTED_FIGIS_FEED, cron: '50 * * * *', account, masters },
    cadence: 'hourly, until each listing was asked for',
    loadItems: loadListingsToAsk,
    feedOf: (listings) => listedFigisOf(listings, account),
    sink: listedFigisSink,
    describeProgress: async (sql) => {
      const { all, known, open } = await loadFigiProgress(sql)
      return all === 0 ? null : `${known} of ${all} listings have a FIGI; ${open} were not asked for yet`
    },
  })
}
