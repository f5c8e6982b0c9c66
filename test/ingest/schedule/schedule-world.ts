import { parseProviderUrls } from '../../../src/config/provider-urls.js'
import { HOUR_MS, MINUTE_MS } from '../../../src/core/time.js'
import { type LaneIntervals, WANTED_INTERVALS_MS } from '../../../src/ingest/candles/lanes/lane-policy.js'
import { LANE_LEASE_MS, LANE_WORK } from '../../../src/ingest/candles/lanes/lane-work.js'
import { type Lanes, startLanes } from '../../../src/ingest/candles/lanes/lanes.js'
import { CONSENSUS_VENUES } from '../../../src/ingest/datasets/market/candles-policy.js'
import { VENUE_ADAPTERS } from '../../../src/ingest/datasets/market/ingestion.js'
import { createJobs } from '../../../src/ingest/jobs.js'
import type { Job } from '../../../src/ingest/schedule/job.js'
import { type Scheduler, startScheduler } from '../../../src/ingest/schedule/scheduler.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createHttpClient, type HttpClient } from '../../../src/platform/http-client/http-client.js'
import { PROVIDER_HOSTS, withProviderUrls } from '../../../src/platform/http-client/provider-addresses.js'
import { createLogger } from '../../../src/platform/logger.js'
import { startShardLeases } from '../../../src/platform/outbox/shard-leases.js'
import { processTimers } from '../../../src/platform/timers.js'
import { type PlayedProviders, playProviders } from '../../support/peers/played-providers.js'
import { VirtualTime } from './virtual-time.js'
import { watchedDatabase } from './watched-database.js'

/** A silent provider is given up after this. */
const TIMEOUT_MS = 400

/** A scheduler on played providers, in a time of its own. */
export interface ScheduleWorld {
  readonly time: VirtualTime
  readonly providers: PlayedProviders
  readonly jobs: readonly Job[]
  /** Starts a scheduler; resolves when it has its shards. */
  start(): Promise<Scheduler>
  close(): Promise<void>
}

export async function openScheduleWorld(
  database: Database,
  start: Date,
  change: (jobs: readonly Job[]) => readonly Job[] = (jobs) => jobs,
  intervals = WANTED_INTERVALS_MS,
): Promise<ScheduleWorld> {
  const time = new VirtualTime(start)
  const providers = await playProviders(time)
  const { urls } = parseProviderUrls({ ...providers.env })
  const client = withProviderUrls(
    createHttpClient({ log: createLogger('silent'), userAgent: 'test', nowMs: time.lanes.nowMs }),
    urls,
  )
  // Who answers has the time that the product gives, however busy the machine is.
  const once = <Request extends { readonly url: string }>(request: Request) => {
    const isSilent = providers.fault(providerOf(request.url), time.now())?.kind === 'silence'
    return { ...request, ...(isSilent && { timeoutMs: TIMEOUT_MS }), retries: 0 }
  }
  const http: typeof client = {
    request: (request) => client.request(once(request)),
    download: (request, path) => client.download(once(request), path),
  }
  const schedulers: Pick<Scheduler, 'stop'>[] = []
  const newJobs = () => change(createJobs())
  return {
    time,
    providers,
    jobs: newJobs(),
    start: async () => {
      let lead = () => {}
      const leads = new Promise<void>((resolve) => {
        lead = resolve
      })
      const log = createLogger('info', {
        write: (line: string) => {
          if (line.includes('"shards of the schedule"')) lead()
        },
      })
      const watched = time.watch(newJobs())
      const scheduler = startScheduler({
        jobs: watched,
        database,
        clock: time,
        timers: time,
        http,
        signer: null,
        log,
        onRun: time.onRun,
        random: () => 0,
      })
      schedulers.push(scheduler)
      await leads
      schedulers.push(startPlayedLanes({ database, http, time, intervals }))
      return scheduler
    },
    close: async () => {
      await Promise.all(schedulers.map((scheduler) => scheduler.stop()))
      await providers.close()
    },
  }
}

/** Lanes whose leases run on the real time, as that of the scheduler does. */
function startPlayedLanes(world: {
  readonly database: Database
  readonly http: HttpClient
  readonly time: VirtualTime
  readonly intervals: LaneIntervals
}): Lanes {
  const { time, http, intervals } = world
  const log = createLogger('silent')
  const database = watchedDatabase(world.database, time.during)
  return startLanes({
    database,
    clock: time,
    timers: time.lanes,
    http: () => ({ request: (request) => time.during(http.request(request)) }),
    log,
    leases: startShardLeases({
      ...{ work: LANE_WORK, database: world.database, log, timers: processTimers, shards: 4 },
      leaseMs: LANE_LEASE_MS,
    }),
    adapters: VENUE_ADAPTERS.filter(({ venue }) => CONSENSUS_VENUES.includes(venue)),
    intervals,
    needs: null,
    random: () => 0,
    onRun: () => {},
    publishMs: MINUTE_MS,
    reloadMs: HOUR_MS,
  })
}

/** Id of the provider at the address. */
function providerOf(url: string): string {
  const { host } = new URL(url)
  return Object.keys(PROVIDER_HOSTS).find((id) => PROVIDER_HOSTS[id]?.includes(host)) ?? ''
}

/** Bitcoin and the stablecoin that its venues quote it in, as an instrument feed would write them. */
export async function addAssets(database: Database): Promise<void> {
  await database.rows(
    `insert into asset (asset_id, slug, ticker, name, asset_class, tier, last_updated, source) values
       (1, 'bitcoin', 'BTC', 'Bitcoin', 'crypto', 1, '2026-11-20T00:00:00Z', 'test'),
       (2, 'tether', 'USDT', 'Tether', 'crypto', 2, '2026-11-20T00:00:00Z', 'test')`,
  )
}
