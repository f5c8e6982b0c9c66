import type { AssetTier } from '../../../../src/core/consensus/consensus.js'
import type { LoadDeps } from '../../../../src/ingest/candles/items/load-candles.js'
import type { LaneIntervals } from '../../../../src/ingest/candles/lanes/lane-policy.js'
import { LANE_LEASE_MS, LANE_WORK } from '../../../../src/ingest/candles/lanes/lane-work.js'
import { type Lanes, startLanes } from '../../../../src/ingest/candles/lanes/lanes.js'
import { CONSENSUS_VENUES } from '../../../../src/ingest/datasets/market/candles-policy.js'
import { VENUE_ADAPTERS } from '../../../../src/ingest/datasets/market/ingestion.js'
import type { JobEvent } from '../../../../src/ingest/schedule/options.js'
import type { Database } from '../../../../src/platform/database/database.js'
import type { HttpClient, HttpRequest } from '../../../../src/platform/http-client/http-client.js'
import { requestTurns } from '../../../../src/platform/http-client/request-turns.js'
import { UpstreamError } from '../../../../src/platform/http-client/upstream-error.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { startShardLeases } from '../../../../src/platform/outbox/shard-leases.js'
import { VirtualTime } from '../../schedule/virtual-time.js'
import { watchedDatabase } from '../../schedule/watched-database.js'

export interface PlayedAsset {
  readonly assetId: number
  readonly ticker: string
  readonly tier: AssetTier
}

/** A time in which the clock of the embedded database moves too: its statements find this `clock_timestamp` first. */
export async function openVirtualTime(database: Database, start: Date): Promise<VirtualTime> {
  const time = new VirtualTime(start)
  const setClock = (now: Date) =>
    database.rows(`select set_config('played.now', $1, false) as now`, [now.toISOString()])
  await setClock(start)
  await database.script(
    `create schema if not exists played;
     create or replace function played.clock_timestamp() returns timestamptz language sql volatile
       as $$ select current_setting('played.now')::timestamptz $$;
     set search_path = played, pg_catalog, public`,
  )
  time.onAdvance = setClock
  return time
}

export async function addPlayedAssets(database: Database, assets: readonly PlayedAsset[]): Promise<void> {
  await database.rows(
    `insert into asset (asset_id, slug, ticker, name, asset_class, tier, last_updated, source)
     select id, slug, ticker, ticker, 'crypto', tier, '2026-11-20T00:00:00Z', 'test'
     from unnest($1::int[], $2::text[], $3::text[], $4::int[]) as a(id, slug, ticker, tier)`,
    [
      assets.map(({ assetId }) => assetId),
      assets.map(({ ticker }) => ({ BTC: 'bitcoin', USDT: 'tether' })[ticker] ?? ticker.toLowerCase()),
      assets.map(({ ticker }) => ticker),
      assets.map(({ tier }) => tier),
    ],
  )
}

export interface PlayedNodeOptions {
  readonly database: Database
  readonly time: VirtualTime
  readonly http: HttpClient
  readonly intervals: LaneIntervals
  readonly shards?: number
  readonly leaseMs?: number
  readonly reloadMs?: number
  readonly publishMs?: number
  /** Called with each line of the log. */
  readonly onLog?: (line: string) => void
}

export interface PlayedNode {
  readonly lanes: Lanes
  readonly events: readonly JobEvent[]
  /** With which a command loads candles beside the lanes. */
  readonly deps: Pick<LoadDeps, 'database' | 'clock' | 'timers' | 'http'>
  /** Nothing that the node began goes on, and nothing is released: as after SIGKILL, or for the time of SIGSTOP. */
  freeze(): void
  /** What was frozen goes on. */
  thaw(): void
}

/** Lanes of one node, at the published limits. */
export function startPlayedNode(options: PlayedNodeOptions): PlayedNode {
  const { time, http, intervals, shards = 16, onLog = () => {} } = options
  const events: JobEvent[] = []
  let frozen: Promise<void> | null = null
  let thaw = () => {}
  const heldUp = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await time.during(work)
    } finally {
      while (frozen !== null) await frozen
    }
  }
  const database = watchedDatabase(options.database, heldUp)
  const timers: VirtualTime['lanes'] = {
    nowMs: time.lanes.nowMs,
    sleep: async (ms, signal) => {
      await time.lanes.sleep(ms, signal)
      while (frozen !== null) await frozen
    },
  }
  const log = createLogger('info', { write: onLog })
  const httpOf = (signal: AbortSignal): HttpClient => ({
    request: async (request) => {
      await waitForTurn(request, signal)
      return heldUpUnlessSleeping(http.request({ ...request, signal }))
    },
  })
  const lanes = startLanes({
    database,
    clock: time,
    timers,
    http: httpOf,
    log,
    leases: startShardLeases({
      ...{ work: LANE_WORK, database, log, timers, shards },
      leaseMs: options.leaseMs ?? LANE_LEASE_MS,
    }),
    adapters: VENUE_ADAPTERS.filter(({ venue }) => CONSENSUS_VENUES.includes(venue)),
    intervals,
    needs: null,
    random: () => 0,
    onRun: (event) => events.push(event),
    ...(options.reloadMs === undefined ? {} : { reloadMs: options.reloadMs }),
    ...(options.publishMs === undefined ? {} : { publishMs: options.publishMs }),
  })
  /** As the HTTP client does, in this time. */
  async function waitForTurn({ rate }: HttpRequest, signal: AbortSignal): Promise<void> {
    const turn = rate === undefined ? { waitMs: 0 } : await requestTurns(database).reserve(rate)
    if (!('waitMs' in turn))
      throw new UpstreamError('rate_used_up', `${rate?.provider} rests: ${turn.rest?.cause}`, turn)
    await timers.sleep(turn.waitMs, signal)
  }
  // The played exchanges sleep in this time themselves, so it must not stand still for them.
  async function heldUpUnlessSleeping<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work
    } finally {
      while (frozen !== null) await frozen
    }
  }
  return {
    lanes,
    events,
    deps: { database, clock: time, timers, http: httpOf(new AbortController().signal) },
    freeze: () => {
      frozen = new Promise((resolve) => {
        thaw = resolve
      })
    },
    thaw: () => {
      frozen = null
      thaw()
    },
  }
}
