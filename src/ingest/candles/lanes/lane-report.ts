import { laterOf } from '../../../core/time.js'
import type { Database, Sql } from '../../../platform/database/database.js'
import { column, statement } from '../../../platform/database/statement.js'
import type { VenueLane, VenueLaneState } from '../venue-lane.js'
import { intervalOf, type LaneAsset } from './lane-asset.js'
import type { LaneIntervals } from './lane-policy.js'

/** The state of a venue's lane, over all nodes. */
export interface LaneReport extends Omit<VenueLaneState, 'venue'> {
  readonly venue: string
  /** Nodes with a lane to the venue. */
  readonly nodes: number
  /** Seconds since the oldest pair was due; 0 if none is. */
  readonly oldestDueSeconds: number
}

/** A lane of one node as it is stored. */
type StoredLane = Omit<LaneReport, 'nodes' | 'restUntil'> & {
  readonly restUntil: string | null
}

/** Stores the state of a node's lanes, for operators of any node. */
export async function publishLanes(
  { prisma }: Pick<Database, 'prisma'>,
  node: string,
  lanes: readonly VenueLane[],
  assets: Iterable<LaneAsset>,
  intervals: LaneIntervals,
  now: Date,
): Promise<void> {
  const oldest = oldestDueMs(assets, intervals, now.getTime())
  const stored: readonly StoredLane[] = lanes.map((lane) => {
    const { venue, restUntil, ...state } = lane.state()
    const oldestDueSeconds = Math.floor((oldest.get(venue) ?? 0) / 1000)
    return { venue, ...state, oldestDueSeconds, restUntil: restUntil?.toISOString() ?? null }
  })
  await prisma.laneNode.updateMany({ where: { node }, data: { lanes: stored } })
}

/** By venue, the milliseconds since the oldest listed pair was due. */
function oldestDueMs(
  assets: Iterable<LaneAsset>,
  intervals: LaneIntervals,
  nowMs: number,
): ReadonlyMap<string, number> {
  const oldest = new Map<string, number>()
  for (const { asset, pairs, sinceMs } of assets) {
    for (const [venue, pair] of pairs) {
      if (!pair.isListed) continue
      const dueAtMs = pair.askedAtMs === null ? sinceMs : pair.askedAtMs + intervalOf(pair, asset, intervals)
      oldest.set(venue, Math.max(oldest.get(venue) ?? 0, nowMs - dueAtMs))
    }
  }
  return oldest
}

// Plain SQL: JSON of nodes that are alive on the clock of the database.
const LANES = statement(
  'lacks clock of the database',
  { lanes: column<readonly StoredLane[]>('jsonb') },
  'select lanes from lane_node where expires_at > clock_timestamp()',
)

/** The lanes of all living nodes together, by venue; empty while no node has any. */
export async function loadLaneReports(sql: Sql, now: Date): Promise<readonly LaneReport[]> {
  const rows = await sql.rows(LANES)
  const reports = new Map<string, LaneReport>()
  for (const lane of rows.flatMap(({ lanes }) => lanes)) {
    const before = reports.get(lane.venue)
    const until = lane.restUntil === null ? null : new Date(lane.restUntil)
    const isResting = until !== null && until > now
    reports.set(lane.venue, {
      venue: lane.venue,
      nodes: (before?.nodes ?? 0) + 1,
      queue: (before?.queue ?? 0) + lane.queue,
      oldestDueSeconds: Math.max(before?.oldestDueSeconds ?? 0, lane.oldestDueSeconds),
      restUntil: laterOf(before?.restUntil ?? null, isResting ? until : null),
      restCause: before?.restCause ?? (isResting ? lane.restCause : null),
      requestsInLastMinute: (before?.requestsInLastMinute ?? 0) + lane.requestsInLastMinute,
    })
  }
  return [...reports.values()].sort((a, b) => a.venue.localeCompare(b.venue))
}
