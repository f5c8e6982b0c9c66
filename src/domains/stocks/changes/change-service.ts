import {
  type Given,
  parseLimit,
  parseMicArgument,
  parseTickerArgument,
} from '../../../core/argument-parsers.js'
import { type ChangePosition, parseChangesCursor } from '../../../core/change-position.js'
import { Problems } from '../../../core/problems.js'
import type { ChangePage, DeliveredChanges, FilterOf } from '../../../platform/changes/change-feed.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { type ListingQuery, listingsOfTicker } from '../../instruments/service.js'
import { ACTION_CHANGES_LIMITS, type ActionChangeKind, type ChangedType } from './change-model.js'
import { ACTION_CHANGES, type ActionChange } from './change-store.js'

/** The feed, for domains that deliver its changes. */
export const actionChanges: DeliveredChanges = ACTION_CHANGES

export interface ActionChangesQuery {
  readonly filter: Omit<FilterOf<typeof ACTION_CHANGES>, 'assetIds'>
  /** Only changes of the securities with this ticker; null for all. */
  readonly listing: ListingQuery | null
  readonly limit: number
  /** Only items before this position; null to start at the newest. */
  readonly before: ChangePosition | null
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
  { filter, listing, limit, before }: ActionChangesQuery,
  context: RequestContext,
): Promise<ChangePage<ActionChange>> {
  const listings = listing && (await listingsOfTicker(listing, context))
  const assetIds = listings && [...new Set(listings.map(({ assetId }) => assetId))]
  return ACTION_CHANGES.loadPage(context.database, { ...filter, assetIds }, { before, limit })
}
