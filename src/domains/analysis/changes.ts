import { invalid } from '../../core/errors.js'
import { parseOffsetPage } from '../../core/page.js'
import type { DatasetStates } from '../../platform/data-version.js'
import type { RequestContext } from '../../platform/request-context.js'
import {
  type Change,
  countChanges,
  type FeedFilter,
  type FeedPlace,
  feedCursor,
  parseFeedCursor,
  readChangesBefore,
} from './feed.js'
import { refuseOldSnapshots } from './history.js'
import { servedSource, snapshotById } from './loaders.js'
import { type AnalysisType, type ChangeType, FEED_LIMITS, MAX_WAIT_SECONDS } from './model.js'
import type { AnalysedSnapshot } from './service.js'

export interface FeedQuery {
  readonly filter: FeedFilter
  readonly limit: number
  /** Items before this place; null: from the newest on. */
  readonly before: FeedPlace | null
  /** How long an empty first page waits for an item. */
  readonly waitMs: number
}

/** A page of the feed, newest first. */
export interface FeedPage {
  readonly items: readonly Change[]
  readonly hasMore: boolean
  /** Leads to the items before the last of this page; null when there are none. */
  readonly nextCursor: string | null
  /** Matching items; null on pages reached by a cursor, where it was told before. */
  readonly totalCount: number | null
  /** The states that it was read from. */
  readonly datasets: DatasetStates
}

interface FilterArgs {
  readonly since?: Date | null | undefined
  readonly analysis_type?: AnalysisType | null | undefined
  readonly change_type?: ChangeType | null | undefined
}

export function parseFeedFilter(args: FilterArgs): FeedFilter {
  return {
    since: args.since ?? null,
    analysisType: args.analysis_type ?? null,
    changeType: args.change_type ?? null,
  }
}

/** Checks the arguments; 422 for a limit out of bounds and a cursor that the feed did not give. */
export function parseFeed(
  args: FilterArgs & {
    readonly limit?: number | null | undefined
    readonly cursor?: string | null | undefined
    readonly wait_seconds?: number | null | undefined
  },
): FeedQuery {
  const { limit } = parseOffsetPage({ limit: args.limit }, FEED_LIMITS)
  const before = readCursor(args.cursor)
  const waitSeconds = args.wait_seconds ?? 0
  if (waitSeconds < 0 || waitSeconds > MAX_WAIT_SECONDS) {
    const message = `must be between 0 and ${MAX_WAIT_SECONDS}; got ${waitSeconds}`
    throw invalid({ field: 'wait_seconds', message })
  }
  if (waitSeconds > 0 && before !== null) {
    const message = 'goes with since, not with cursor: a cursor leads to older items, which never become more'
    throw invalid({ field: 'wait_seconds', message })
  }
  return { filter: parseFeedFilter(args), limit, before, waitMs: waitSeconds * 1_000 }
}

/** The place of a cursor; 422 for one that the feed did not give. */
export function readCursor(text: string | null | undefined): FeedPlace | null {
  if (text == null) return null
  const place = parseFeedCursor(text)
  if (place !== null) return place
  throw invalid({ field: 'cursor', message: 'must be a next_cursor that this feed gave' })
}

/** One page. Reading on by `nextCursor` meets each older item once, whatever is added meanwhile. */
export async function getFeed(query: FeedQuery, context: RequestContext): Promise<FeedPage> {
  const { filter, limit, before } = query
  const source = servedSource(context)
  const [found, totalCount] = await Promise.all([
    readChangesBefore(context.database, source, filter, { before, limit: limit + 1 }),
    before === null ? countChanges(context.database, source, filter) : null,
  ])
  const items = found.slice(0, limit)
  const last = items.at(-1)
  const hasMore = found.length > limit
  return {
    items,
    hasMore,
    nextCursor: hasMore && last ? feedCursor(last) : null,
    totalCount,
    datasets: context.datasets,
  }
}

/** One of the two snapshots of an item; 403 where it is more than 90 days old and the caller has no history:full. */
export async function snapshotOf(
  change: Change,
  snapshotId: string,
  context: RequestContext,
): Promise<AnalysedSnapshot | null> {
  const snapshot = await snapshotById(context).load(snapshotId)
  if (snapshot === null) return null
  refuseOldSnapshots([snapshot], context, () => null)
  return { asset: change.asset, snapshot }
}
