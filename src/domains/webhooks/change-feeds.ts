import type { DeliveredChanges } from '../../platform/changes/change-feed.js'
import type { Scope } from '../../policy/scopes.js'
import { analysisChanges } from '../analysis/changes/change-service.js'
import { actionChanges } from '../stocks/changes/change-service.js'

/** A feed whose changes webhooks deliver. Its SQL names a change `c` and a webhook `w`. */
interface DeliveredFeed {
  readonly changes: DeliveredChanges
  readonly scope: Scope
  /** Column with the UUID of a change. */
  readonly changeId: string
  /** Each type of event with the SQL condition of its changes; the first that applies is the type of a change. */
  readonly events: Readonly<Record<string, string>>
  /** SQL condition: the webhook selects the change. */
  readonly isSelected: string
}

/** The feeds by the name that the queue has. */
export const CHANGE_FEEDS = {
  ai_analysis: {
    changes: analysisChanges,
    scope: 'ai:read',
    changeId: 'to_snapshot_id',
    events: { 'ai_analysis.change': 'true' },
    isSelected: `(w.analysis_type is null or c.analysis_type = w.analysis_type)
      and (w.change_type is null or c.change_type = w.change_type)`,
  },
  corporate_action: {
    changes: actionChanges,
    scope: 'instruments:read',
    changeId: 'change_id',
    events: {
      'corporate_action.created': `c.change_kind = 'created'`,
      'corporate_action.revised': `c.change_kind = 'revised'`,
    },
    isSelected: 'true',
  },
} as const satisfies Record<string, DeliveredFeed>

type Feeds = typeof CHANGE_FEEDS
export type FeedName = keyof Feeds
export type EventType = { [Name in FeedName]: keyof Feeds[Name]['events'] }[FeedName]

export const FEED_NAMES = Object.keys(CHANGE_FEEDS) as readonly FeedName[] // the keys of the literal

export function eventTypesOf(feed: FeedName): readonly EventType[] {
  return Object.keys(CHANGE_FEEDS[feed].events) as readonly EventType[] // its keys
}

export const WEBHOOK_EVENT_TYPES: readonly EventType[] = FEED_NAMES.flatMap(eventTypesOf)

/** Types of a webhook that names none. */
export const DEFAULT_EVENT_TYPES: readonly EventType[] = eventTypesOf('ai_analysis')

/** The scopes of the feeds of these types; a webhook needs all of them. */
export function scopesOfEvents(eventTypes: readonly string[]): readonly Scope[] {
  const feeds = FEED_NAMES.filter((name) => eventTypesOf(name).some((type) => eventTypes.includes(type)))
  return [...new Set(feeds.map((name) => CHANGE_FEEDS[name].scope))]
}
