import { type Clock, MINUTE_MS } from '../../core/time.js'
import { applyRetention } from '../../domains/access/retention-service.js'
import { deleteOldIssues } from '../../domains/newsletter/issues/issue-store.js'
import { deleteOldSnapshots } from '../../domains/onchain/store.js'
import { deleteOldDeliveries } from '../../domains/webhooks/delivery/delivery-store.js'
import { applyCandleRetention } from '../../ingest/datasets/market/candles-policy.js'
import { countRows } from '../../ingest/run/count-rows.js'
import { applyLedgerRetention } from '../../ingest/run/ledger-retention.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/logger.js'
import { type RepeatedRun, repeatRun } from './repeated-run.js'

export interface HousekeepingOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'error'>
}

/** The first minute belongs to the start itself. */
const FIRST_MS = MINUTE_MS
const EVERY_MS = 24 * 60 * MINUTE_MS
/** Spreads nodes that were started together, as a share of the wait. */
const JITTER = 0.1

/** Applies the retention a minute after the start and then every day: audit, usage, candles, runs, snapshots of addresses, issues of the newsletter and events of webhooks beyond their time; then counts the rows of each dataset. A failure is logged and the next run tries again. */
export function startHousekeeping({ database, clock, log }: HousekeepingOptions): RepeatedRun {
  const jittered = (ms: number) => ms * (1 + JITTER * Math.random())
  return repeatRun(jittered(FIRST_MS), async () => {
    try {
      const removed = await applyRetention(database, clock.now())
      if (removed !== null) {
        const candles = await applyCandleRetention(database, clock.now())
        const ledger = await applyLedgerRetention(database, clock.now())
        const addressSnapshots = await deleteOldSnapshots(database, clock.now())
        const newsletterIssues = await deleteOldIssues(database, clock.now())
        const webhookEvents = await deleteOldDeliveries(database, clock.now())
        await countRows(database, clock.now(), log)
        log.info(
          { ...removed, ...candles, ...ledger, addressSnapshots, newsletterIssues, webhookEvents },
          'retention applied',
        )
      }
    } catch (error) {
      log.error({ err: error }, 'retention could not be applied; the next run tries again')
    }
    return jittered(EVERY_MS)
  })
}
