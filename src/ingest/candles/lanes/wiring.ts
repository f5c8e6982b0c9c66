import type { Clock } from '../../../core/time.js'
import type { Database } from '../../../platform/database/database.js'
import type { DownloadClient, HttpClient } from '../../../platform/http-client/http-client.js'
import type { Logger } from '../../../platform/logger.js'
import { startShardLeases } from '../../../platform/outbox/shard-leases.js'
import { processTimers } from '../../../platform/timers.js'
import { CONSENSUS_VENUES } from '../../datasets/market/candles-policy.js'
import { VENUE_ADAPTERS } from '../../datasets/market/ingestion.js'
import { ofAttempt } from '../../schedule/of-attempt.js'
import type { JobEvent } from '../../schedule/options.js'
import { WANTED_INTERVALS_MS } from './lane-policy.js'
import { LANE_LEASE_MS, LANE_SHARDS, LANE_WORK } from './lane-work.js'
import { type Lanes, startLanes } from './lanes.js'

export interface ConfiguredLanesOptions {
  readonly database: Database
  readonly clock: Clock
  readonly http: HttpClient & DownloadClient
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly onRun: (event: JobEvent) => void
  /** The job that creates the assets; it must have succeeded once. Null: none. */
  readonly needs: string | null
}

/** Starts the lanes of the venues of the consensus, on the timers of the process. */
export function startConfiguredLanes(options: ConfiguredLanesOptions): Lanes {
  const { database, http, log } = options
  return startLanes({
    ...options,
    http: (signal) => ofAttempt(http, signal),
    timers: processTimers,
    leases: startShardLeases({
      ...{ work: LANE_WORK, database, log, timers: processTimers, shards: LANE_SHARDS },
      leaseMs: LANE_LEASE_MS,
    }),
    adapters: VENUE_ADAPTERS.filter(({ venue }) => CONSENSUS_VENUES.includes(venue)),
    intervals: WANTED_INTERVALS_MS,
    random: Math.random,
  })
}
