import { type VenueBar, venueVwap } from '../../../../core/consensus/venue-vwap.js'
import { groupBy } from '../../../../core/group-by.js'
import { DAY_MS, startOfHour } from '../../../../core/time.js'
import { agreementOf, type VenuePrices } from '../../../../domains/instruments/coins/coin-agreement-model.js'
import {
  type ConfirmedCoin,
  loadUnconfirmedCoins,
} from '../../../../domains/instruments/coins/coin-agreement-store.js'
import { loadBars } from '../../../../domains/market/bar-store.js'
import { exchangeLists } from '../../../providers/exchanges/listings/listed-pair.js'
import { MAX_REJECTIONS_KEPT, type Rejection } from '../../../run/ledger.js'
import { lockDataset } from '../../../run/lock-dataset.js'
import { type IngestDeps, runOneInLedger } from '../../../run/run.js'
import { writeDataset } from '../../../run/write-dataset.js'
import { type JobCounts, NO_ROWS } from '../../../schedule/job.js'
import { confirmedCoinsSink } from './sinks.js'

export const AGREEMENT_FEED = {
  id: 'coin-agreement',
  provider: exchangeLists,
  dataset: 'instruments',
} as const

/** Coins that one run compares: each needs the bars of a day. */
const COINS_PER_RUN = 1_000

/** Compares the prices of coins that are not confirmed yet, and confirms those about which two exchanges agree. */
export async function runCoinAgreement(deps: IngestDeps, signal: AbortSignal): Promise<JobCounts> {
  const { database, clock } = deps
  const coins = await loadUnconfirmedCoins(database, COINS_PER_RUN)
  if (coins.length === 0) return NO_ROWS
  return runOneInLedger(deps, { feed: AGREEMENT_FEED, origin: 'stored bars' }, async (run) => {
    const confirmed: ConfirmedCoin[] = []
    const open: Rejection[] = []
    for (const { assetId, slug } of coins) {
      signal.throwIfAborted()
      const to = startOfHour(clock.now())
      const bars = await loadBars(database, { assetId, from: new Date(to.getTime() - DAY_MS), to })
      const agreement = agreementOf(hourlyPrices(bars))
      if (agreement.kind === 'open') {
        open.push({ position: slug, reason: agreement.reason })
        continue
      }
      confirmed.push({ assetId, others: agreement.others })
      for (const { venue, reason } of agreement.others)
        open.push({ position: `${slug} at ${venue}`, reason: `another coin: ${reason}` })
    }
    return database.transaction(async (tx) => {
      await lockDataset(tx, 'instruments')
      const target = { dataset: 'instruments', provider: exchangeLists, sink: confirmedCoinsSink } as const
      const { added, revised, unchanged } = await writeDataset(tx, target, [confirmed], clock.now())
      const counts = { ...NO_ROWS, added, revised, unchanged, rejected: open.length }
      await run.succeed(tx, { ...counts, rejections: open.slice(0, MAX_REJECTIONS_KEPT) })
      return counts
    })
  })
}

/** The price of each venue in each hour that it traded in. A stablecoin counts as a dollar: the tolerance is wider than its noise. */
function hourlyPrices(bars: readonly VenueBar[]): readonly VenuePrices[] {
  return [...groupBy(bars, ({ venue }) => venue)].map(([venue, own]) => {
    const hours = groupBy(own, ({ ts }) => String(startOfHour(ts).getTime()))
    const prices = [...hours].flatMap(([hour, ofHour]) => {
      const price = venueVwap(ofHour, null)
      return 'excluded' in price ? [] : [[Number(hour), price.vwapUsd.toNumber()] as const]
    })
    return { venue, prices: new Map(prices) }
  })
}
