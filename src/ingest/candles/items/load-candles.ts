import type { Venue } from '../../../core/consensus/venue-symbols.js'
import type { Clock } from '../../../core/time.js'
import type { Database } from '../../../platform/database/database.js'
import type { HttpClient } from '../../../platform/http-client/http-client.js'
import type { MonotonicTimers } from '../../../platform/timers.js'
import type { VenueAdapter } from '../../providers/exchanges/venue-adapter.js'
import type { DatasetCounts } from '../../run/write-dataset.js'
import { type CommitDeps, commitAnswers } from '../commit-answers.js'
import { createLaneLedger } from '../lane-ledger.js'
import { stablecoinsFirst } from '../usd-rates.js'
import type { VenueAsset } from '../venue-assets.js'
import { type LaneQuestion, openVenueLane } from '../venue-lane.js'
import { createLoadCounts, type LoadProgress, type LoadSummary } from './load-counts.js'
import { openOldDay } from './old-day.js'
import { createPatientLane, type PatienceDeps, type PatientLane } from './patient-lane.js'
import { openRecentWindow } from './recent-window.js'
import type { ItemResult, OpenWindow, WorkWindow } from './work-window.js'

export interface LoadDeps extends PatienceDeps {
  readonly database: Database
  readonly clock: Clock
  readonly timers: MonotonicTimers
  readonly http: HttpClient
  readonly random: () => number
  readonly onProgress: (progress: LoadProgress) => void
}

export interface LoadOptions {
  readonly assets: readonly VenueAsset[]
  readonly windows: readonly WorkWindow[]
  /** Where the bars of each venue come from. */
  readonly adapters: readonly VenueAdapter[]
  /** Whether old days that are already done are requested again. */
  readonly isAgain: boolean
}

/**
 * Has the lanes of the venues do all items of these windows, and counts the results. The venues of an asset are asked together,
 * and one transaction writes what they answered. A venue that does not answer is asked again after its rest, and left out if that
 * fails; a window ends early when none of its venues is left. If the database fails, the assets written before stay.
 */
export async function loadCandles(deps: LoadDeps, options: LoadOptions): Promise<LoadSummary> {
  const { windows } = options
  const assets = stablecoinsFirst(options.assets)
  const lanes = openLanes(deps, options)
  const counts = createLoadCounts([...lanes.values()], windows.length * assets.length)
  const ledger = createLaneLedger()
  const isLeft = ({ venues }: WorkWindow) => venues.some((venue) => lanes.get(venue)?.givenUp() === null)
  for (const window of windows) {
    if (!isLeft(window)) continue
    const open = await openWindow(deps, window, assets, options.isAgain)
    for (const asset of assets) {
      const venues = open.pendingOf(asset)
      if (venues.length > 0) {
        const { to } = window
        const results = await ask(lanes, venues, (venue) => ({
          ...asset,
          from: open.startOf(asset, venue),
          to,
        }))
        for (const result of results) counts.add(window, asset, result)
        const written = await write({ ...deps, ledger }, open, asset, results)
        if (written !== null) counts.written(written)
      }
      deps.onProgress(counts.progress(window, asset.slug, venues.length > 0))
      if (!isLeft(window)) break
    }
  }
  return { ...counts.summary(), isComplete: windows.every(isLeft) }
}

type Lanes = ReadonlyMap<Venue, PatientLane>

/** The lanes of the venues that the windows need. */
function openLanes(deps: LoadDeps, { windows, adapters }: LoadOptions): Lanes {
  const needed = adapters.filter(({ venue }) => windows.some(({ venues }) => venues.includes(venue)))
  return new Map(
    needed.map((adapter) => [
      adapter.venue,
      createPatientLane(
        openVenueLane(deps, adapter, () => {}),
        deps,
      ),
    ]),
  )
}

function openWindow(
  { database, clock }: LoadDeps,
  window: WorkWindow,
  assets: readonly VenueAsset[],
  isAgain: boolean,
): Promise<OpenWindow> {
  return window.kind === 'old_day'
    ? openOldDay(database, window, assets, isAgain)
    : openRecentWindow(database, window, assets, clock.now())
}

async function ask(
  lanes: Lanes,
  venues: readonly Venue[],
  questionTo: (venue: Venue) => LaneQuestion,
): Promise<readonly ItemResult[]> {
  const asked = venues.map((venue) => lanes.get(venue)?.ask(questionTo(venue)) ?? [])
  return (await Promise.all(asked)).flat()
}

/** Null if nothing was asked. */
async function write(
  deps: CommitDeps,
  open: OpenWindow,
  asset: VenueAsset,
  results: readonly ItemResult[],
): Promise<DatasetCounts | null> {
  if (results.every(({ kind, harvest }) => kind === 'missed' && harvest === null)) return null
  const { candles } = await commitAnswers(deps, null, (tx, now) => open.write(tx, asset, results, now))
  return candles
}
