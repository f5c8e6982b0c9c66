import type { Venue } from '../../../core/consensus/venue-symbols.js'
import type { Clock } from '../../../core/time.js'
import type { Database } from '../../../platform/database/database.js'
import type { HttpClient } from '../../../platform/http-client/http-client.js'
import type { Logger } from '../../../platform/logger.js'
import { type ShardLeases, ShardLost } from '../../../platform/outbox/shard-leases.js'
import { shardOf } from '../../../platform/outbox/shard-of.js'
import { settledWithin } from '../../../platform/settled-within.js'
import type { MonotonicTimers } from '../../../platform/timers.js'
import type { VenueAdapter } from '../../providers/exchanges/venue-adapter.js'
import { errorText } from '../../run/ledger.js'
import type { JobEvent } from '../../schedule/options.js'
import { createLaneLedger } from '../lane-ledger.js'
import { openVenueLane, type VenueLane } from '../venue-lane.js'
import { type LaneAsset, putOff } from './lane-asset.js'
import { createLaneAssets } from './lane-assets.js'
import type { LaneIntervals } from './lane-policy.js'
import { publishLanes } from './lane-report.js'
import { type PlannedRound, planRounds } from './plan-rounds.js'
import { runRound } from './run-round.js'
import { type AnsweredRound, type WrittenRound, writeRound } from './write-round.js'

/** Assets in progress at once. Each holds at most the bars of half a day of its venues, about 3 MB. */
const MAX_ROUNDS = 16

/** How often new assets, tiers and symbols are looked for, and while there is no asset. */
const RELOAD_MS = 60_000
const RELOAD_EMPTY_MS = 2_000

/** How often the state of the lanes is stored for operators. */
const PUBLISH_MS = 10_000

/** Wait after a failure of the database. */
const FAILED_MS = 5_000

/** How long rounds in progress may take to end when the process stops. */
const STOP_MS = 4_000

export interface LanesOptions {
  readonly database: Database
  readonly clock: Clock
  readonly timers: MonotonicTimers
  /** Gives turns to requests, reports failures to the caller only, and ends its requests when the signal is aborted. */
  readonly http: (signal: AbortSignal) => HttpClient
  readonly log: Pick<Logger, 'info' | 'error'>
  readonly leases: ShardLeases
  readonly adapters: readonly VenueAdapter[]
  readonly intervals: LaneIntervals
  /** The job that creates the assets; it must have succeeded once. */
  readonly needs: string | null
  readonly random: () => number
  /** Called with the counts of each period of the ledger. */
  readonly onRun: (event: JobEvent) => void
  readonly reloadMs?: number
  readonly publishMs?: number
}

export interface Lanes {
  /** Starts nothing more, waits up to 4 s for rounds in progress, and releases the shards. */
  stop(): Promise<void>
}

/**
 * Requests the bars of the assets of this node's shards, each venue at its own rate, and writes them one asset at a time. A
 * venue that is slow or down delays only itself.
 */
export function startLanes(options: LanesOptions): Lanes {
  const { database, clock, timers, log, leases, random, onRun } = options
  const { reloadMs = RELOAD_MS, publishMs = PUBLISH_MS } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const ledger = createLaneLedger()
  const assets = createLaneAssets(options)
  const inProgress = new Set<Promise<void>>()
  let waking = new AbortController()
  let isChanged = true
  const wake = () => waking.abort()
  const laneDeps = { http: options.http(signal), clock, timers, random, signal }
  const lanes = new Map<Venue, VenueLane>(
    options.adapters.map((adapter) => [adapter.venue, openVenueLane(laneDeps, adapter, wake)]),
  )
  leases.onChange(() => {
    isChanged = true
    wake()
  })

  let writing: Promise<unknown> = Promise.resolve()
  const isAwaited = (venue: string) => lanes.get(venue as Venue)?.rest() === null // of an unknown venue no bars come
  const write = (round: AnsweredRound): Promise<WrittenRound> => {
    const deps = { database, clock, ledger, stablecoinIds: assets.stablecoinIds(), isAwaited }
    const written = writing.then(() => writeRound(deps, round))
    writing = written.catch(() => {
      // The round gets the failure; the next one is written.
    })
    return written
  }
  const fail = (of: LaneAsset, error: unknown) => {
    if (signal.aborted) return
    if (error instanceof ShardLost) {
      log.info({ asset: of.asset.slug, reason: error.message }, 'bars were dropped')
      return
    }
    putOff(of, clock.now().getTime(), random())
    log.error({ asset: of.asset.slug, reason: errorText(error) }, 'bars could not be written')
  }
  const begin = (planned: PlannedRound) => {
    const { of } = planned
    const permit = leases.acquire(shardOf(of.asset.assetId, leases.shards))
    if (permit === null) return
    of.isBusy = true
    let isWritten = false
    const onWritten = () => {
      // Only once: after that another round of the asset may be in progress.
      if (!isWritten) of.isBusy = false
      isWritten = true
      wake()
    }
    const run = runRound({ clock, timers, random, lanes, write }, planned, permit, onWritten)
      .catch((error) => fail(of, error))
      .finally(() => {
        permit.release()
        inProgress.delete(run)
        onWritten()
      })
    inProgress.add(run)
  }
  const reloadAtMs = () => assets.loadedAtMs() + (assets.isEmpty() ? RELOAD_EMPTY_MS : reloadMs)
  let publishedAtMs = 0
  /** Begins what is due; returns the milliseconds until more is. */
  const poll = async (): Promise<number> => {
    const nowMs = clock.now().getTime()
    if (isChanged || reloadAtMs() <= nowMs) {
      isChanged = false
      await assets.reload()
    }
    const counts = ledger.takeEnded(clock.now())
    if (counts !== null) onRun({ job: 'candles', status: 'succeeded', counts })
    if (publishedAtMs + publishMs <= nowMs) {
      publishedAtMs = nowMs
      await publishLanes(
        database,
        leases.node,
        [...lanes.values()],
        assets.all(),
        options.intervals,
        clock.now(),
      )
    }
    const { rounds, nextAtMs } = planRounds({
      assets: assets.all(),
      intervals: options.intervals,
      nowMs,
      mayBegin: ({ asset }) => leases.termOf(shardOf(asset.assetId, leases.shards)) !== null,
      room: new Map([...lanes].map(([venue, lane]) => [venue, lane.room()])),
      most: Math.max(0, MAX_ROUNDS - inProgress.size),
    })
    for (const round of rounds) begin(round)
    const rests = [...lanes.values()].flatMap((lane) => lane.rest()?.until.getTime() ?? [])
    return (
      Math.min(nextAtMs ?? Number.POSITIVE_INFINITY, reloadAtMs(), publishedAtMs + publishMs, ...rests) -
      nowMs
    )
  }
  const run = async () => {
    while (!signal.aborted) {
      waking = new AbortController()
      const waitMs = await poll().catch((error: unknown) => {
        isChanged = true
        log.error({ reason: errorText(error) }, 'the lanes of the candles could not go on; they try again')
        return FAILED_MS
      })
      await timers.sleep(Math.max(0, waitMs), AbortSignal.any([waking.signal, signal]))
    }
    await Promise.all(inProgress)
  }
  const ended = run()
  return {
    stop: async () => {
      stopping.abort()
      await settledWithin(STOP_MS, ended)
      await leases.stop()
    },
  }
}
