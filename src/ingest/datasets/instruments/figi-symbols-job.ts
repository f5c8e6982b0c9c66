import { figiSymbols } from '../../providers/openfigi/figi-symbols.js'
import type { OpenFigiAccount } from '../../providers/openfigi/mapping-request.js'
import { fetchBodyWith } from '../../run/ask-for-body.js'
import { type Job, jobOutcomeOfSeveral } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { runFigiSymbols } from './run-figi-symbols.js'

/** Asks OpenFIGI once a week which ticker each FIGI has. */
export function figiSymbolsJob(account: OpenFigiAccount, masters: string | null): Job {
  const { id, dataset, cadence } = figiSymbols
  return {
    name: id,
    dataset,
    cadence,
    schedule: byCron('20 11 * * 6', 1_200_000),
    feeds: [id],
    ...(masters === null ? {} : { needs: masters }),
    run: async ({ http, ...context }) =>
      jobOutcomeOfSeveral(await runFigiSymbols({ ...context, fetchBody: fetchBodyWith(http) }, account)),
  }
}
