import { DAY_MS, startOfDay } from '../../../../core/time.js'
import { loadChangedTiers } from '../../../../domains/instruments/coins/coin-tiers-store.js'
import { exchangeLists } from '../../../providers/exchanges/listings/listed-pair.js'
import { runOneInLedger } from '../../../run/run.js'
import { writeDataset } from '../../../run/write-dataset.js'
import { type Job, NO_ROWS } from '../../../schedule/job.js'
import { byCron } from '../../../schedule.js'
import { AGREEMENT_FEED, runCoinAgreement } from './run-coin-agreement.js'
import { coinTiersSink } from './sinks.js'

/** Days whose volume decides the rank. */
const RANKED_DAYS = 30

const TIERS_FEED = { id: 'coin-tiers', provider: exchangeLists, dataset: 'instruments' } as const

/** Confirms each hour the coins about whose price exchanges agree; see `runCoinAgreement`. */
const agreementJob: Job = {
  name: AGREEMENT_FEED.id,
  dataset: 'instruments',
  cadence: 'hourly',
  schedule: byCron('25 * * * *', 300_000),
  feeds: [AGREEMENT_FEED.id],
  run: async (context) => {
    const counts = await runCoinAgreement(context, context.signal)
    const note = counts.rejected === 0 ? null : `${counts.rejected} coins or pairs wait, the ledger says why`
    return { counts, note, unfinished: null }
  },
}

/** Ranks the coins of the exchanges' lists once a week by the consensus volume of 30 days. */
const tiersJob: Job = {
  name: TIERS_FEED.id,
  dataset: 'instruments',
  cadence: 'weekly',
  schedule: byCron('15 6 * * 1', 1_200_000),
  feeds: [TIERS_FEED.id],
  run: (context) =>
    runOneInLedger(context, { feed: TIERS_FEED, origin: 'stored candles' }, async (run) => {
      const { database, clock } = context
      const counts = await database.transaction(async (tx) => {
        const to = startOfDay(clock.now())
        const span = { from: new Date(to.getTime() - RANKED_DAYS * DAY_MS), to }
        const changed = await loadChangedTiers(tx, exchangeLists.id, span)
        const target = { dataset: 'instruments', provider: exchangeLists, sink: coinTiersSink } as const
        const { added, revised, unchanged } = await writeDataset(tx, target, [changed], clock.now())
        await run.succeed(tx, { added, revised, unchanged, rejected: 0, rejections: [] })
        return { ...NO_ROWS, added, revised, unchanged }
      })
      return { counts, note: null, unfinished: null }
    }),
}

/** What follows the lists of the exchanges. */
export const coinJobs: readonly Job[] = [agreementJob, tiersJob]
