import { setTimeout as sleep } from 'node:timers/promises'
import type { DatasetName } from '../../core/datasets.js'
import type { DatasetState } from '../database/data-version.js'
import type { LiveRequest, RequestContext } from './request-context.js'
import { compareRevisions, type RevisionCursor } from './revision-cursor.js'

/** How often a waiting request checks whether something was added: as often as the versions are read again. */
const POLL_MS = 500

/** The instant, and the state of the dataset that is followed. */
export interface FollowedState {
  readonly now: Date
  readonly state: DatasetState
}

/** What stays open of a request; throws for one that nobody waits for. */
export function liveOf({ live }: RequestContext): LiveRequest {
  if (live === undefined) throw new Error('only a request of a client can wait')
  return live
}

/** Pauses; false once the caller has gone or the process stops. */
export async function goesOn(live: LiveRequest, atMostMs: number = POLL_MS): Promise<boolean> {
  await sleep(Math.max(0, Math.min(POLL_MS, atMostMs)))
  return !(await live.isOver())
}

/**
 * The events of a dataset after each commit, until the caller goes. No statement of its own runs while nothing is
 * committed.
 */
export async function* followDataset<Event>(
  live: LiveRequest,
  dataset: DatasetName,
  eventsOf: (followed: FollowedState) => AsyncIterable<Event>,
): AsyncGenerator<Event, void> {
  let seen: number | null = null
  do {
    // The version is read before the rows: what is added in between shows as a newer version in the next round.
    const { now, datasets } = await live.refresh()
    const state = datasets.get(dataset)
    if (state === undefined || state.version === seen) continue
    yield* eventsOf({ now, state })
    seen = state.version
  } while (await goesOn(live))
}

/**
 * Rows that become known, in the order in which they do: those after the place given, then new and revised ones. `read`
 * gives a window of current rows, few enough to be remembered.
 */
export async function followRows<Row extends RevisionCursor>(
  live: LiveRequest,
  dataset: DatasetName,
  after: RevisionCursor | null,
  read: (now: Date) => Promise<readonly Row[]>,
): Promise<AsyncGenerator<Row, void>> {
  const { now } = await live.refresh()
  // What is committed from here on has another version than the one read in the first round, or is in the first window.
  const first = await read(now)
  let seen = knownBy(first.filter((row) => after === null || compareRevisions(row, after) <= 0))
  return followDataset(live, dataset, async function* (followed) {
    const rows = await read(followed.now)
    yield* rows.filter((row) => seen.get(row.key) !== row.knownFrom.getTime()).toSorted(compareRevisions)
    seen = knownBy(rows)
  })
}

function knownBy(rows: readonly RevisionCursor[]): ReadonlyMap<string, number> {
  return new Map(rows.map(({ key, knownFrom }) => [key, knownFrom.getTime()]))
}
