import { setTimeout as sleep } from 'node:timers/promises'
import type { DatasetName } from '../../core/datasets.js'
import type { DatasetState } from '../database/versions/data-version.js'
import type { LiveRequest, RequestContext } from './request-context.js'
import { compareRevisions, type RevisionCursor } from './revision-cursor.js'

/** How often a waiting request checks for new data: as often as the data versions are read. */
const POLL_MS = 500

/** An instant and the state of the followed dataset at that instant. */
export interface FollowedState {
  readonly now: Date
  readonly state: DatasetState
}

/** The open connection of a request. Throws for a request without a client. */
export function liveOf({ live }: RequestContext): LiveRequest {
  if (live === undefined) throw new Error('only a request of a client can wait')
  return live
}

/** Waits; returns false when the caller has disconnected or the process stops. */
export async function waitWhileOpen(live: LiveRequest, atMostMs: number = POLL_MS): Promise<boolean> {
  await sleep(Math.max(0, Math.min(POLL_MS, atMostMs)))
  return !(await live.isOver())
}

/**
 * The events of a dataset after each commit, until the caller disconnects. While nothing is committed, it runs no
 * statement.
 */
export async function* followDataset<Event>(
  live: LiveRequest,
  dataset: DatasetName,
  eventsOf: (followed: FollowedState) => AsyncIterable<Event>,
): AsyncGenerator<Event, void> {
  let seen: number | null = null
  do {
    // The version is read before the rows, so a commit in between is found as a newer version in the next round.
    const { now, datasets } = await live.refresh()
    const state = datasets.get(dataset)
    if (state === undefined || state.version === seen) continue
    yield* eventsOf({ now, state })
    seen = state.version
  } while (await waitWhileOpen(live))
}

/**
 * Rows in the order in which they became known: those after the cursor, then new and revised ones. `read` returns a window
 * of current rows that is small enough to keep in memory.
 */
export async function followRows<Row extends RevisionCursor>(
  live: LiveRequest,
  dataset: DatasetName,
  after: RevisionCursor | null,
  read: (now: Date) => Promise<readonly Row[]>,
): Promise<AsyncGenerator<Row, void>> {
  const { now } = await live.refresh()
  // A later commit either has another version than the first round read, or its rows are in the first window.
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
