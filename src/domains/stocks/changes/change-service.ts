import {
  type Given,
  parseLimit,
  parseMicArgument,
  parseTickerArgument,
} from '../../../core/argument-parsers.js'
import {
  type ChangePage,
  type ChangePosition,
  pageOfChanges,
  parseChangesCursor,
} from '../../../core/change-position.js'
import { Problems } from '../../../core/problems.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { type ListingQuery, listingsOfTicker } from '../../instruments/service.js'
import { ACTION_CHANGES_LIMITS, type ActionChangeKind, type ChangedType } from './change-model.js'
import {
  type ActionChange,
  type ActionChangeFilter,
  countActionChanges,
  loadActionChangesBefore,
} from './change-store.js'

export interface ActionChangesQuery {
  readonly filter: Omit<ActionChangeFilter, 'assetIds'>
  /** Only changes of the securities with this ticker; null for all. */
  readonly listing: ListingQuery | null
  readonly limit: number
  /** Only items before this position; null to start at the newest. */
  readonly before: ChangePosition | null
}

/** A page of changes, newest first, with the number of all matching ones: null on pages requested with a cursor. */
export interface ActionChangesPage extends ChangePage<ActionChange> {
  readonly totalCount: number | null
}

interface ActionChangesArgs {
  readonly since?: Given<Date>
  readonly ticker?: Given<string>
  readonly mic?: Given<string>
  readonly action_type?: Given<ChangedType>
  readonly change_kind?: Given<ActionChangeKind>
  readonly limit?: Given<number>
  readonly cursor?: Given<string>
}

/** Parses the arguments. The 422 names every wrong one. */
export function parseActionChanges(args: ActionChangesArgs): ActionChangesQuery {
  const problems = new Problems()
  const limit = parseLimit(problems, args.limit, ACTION_CHANGES_LIMITS)
  const before = parseChangesCursor(problems, args.cursor)
  const ticker = args.ticker == null ? null : parseTickerArgument(problems, args.ticker)
  const mic = parseMicArgument(problems, args.mic)
  if (args.mic != null && args.ticker == null) problems.add('mic', 'needs ticker')
  problems.refuse()
  const { since = null, action_type: actionType = null, change_kind: changeKind = null } = args
  return {
    filter: { since, actionType, changeKind },
    listing: ticker === null ? null : { ticker, mic },
    limit,
    before,
  }
}

/** Gets one page. Following `nextCursor` returns each older item once, even while new ones are added. 404 for an unknown ticker. */
export async function getActionChanges(
  { filter: others, listing, limit, before }: ActionChangesQuery,
  context: RequestContext,
): Promise<ActionChangesPage> {
  const listings = listing && (await listingsOfTicker(listing, context))
  const assetIds = listings && [...new Set(listings.map(({ assetId }) => assetId))]
  const filter = { ...others, assetIds }
  const [found, totalCount] = await Promise.all([
    loadActionChangesBefore(context.database, filter, { before, limit: limit + 1 }),
    before === null ? countActionChanges(context.database, filter) : null,
  ])
  return { ...pageOfChanges(found, limit), totalCount }
}
