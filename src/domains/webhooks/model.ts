import { notFound } from '../../core/errors.js'
import { parseUuid } from '../../core/identifiers.js'
import type { ChangeTable } from '../../platform/database/change-order.js'
import { definePort } from '../../platform/request/ports.js'
import type { WebhookSignatures } from '../../platform/secrets/webhook-signatures.js'
import type { Scope } from '../../policy/scopes.js'
import type { Tier } from '../../policy/tiers.js'
import type { AnalysisType, ChangeType } from '../analysis/model.js'

/** A table of changes that webhooks deliver. Its SQL names a change `c` and a webhook `w`. */
interface ChangeFeed {
  /** The scope that reads the changes. */
  readonly scope: Scope
  readonly table: ChangeTable
  /** Column with the UUID of a change. */
  readonly changeId: string
  /** Each type of event with the SQL condition of its changes; the first that applies is the type of a change. */
  readonly events: Readonly<Record<string, string>>
  /** SQL condition: the webhook selects the change. */
  readonly isSelected: string
  /** Only changes of the source of the dataset are served. */
  readonly isOfOneSource: boolean
}

/** The feeds whose changes webhooks deliver. */
export const CHANGE_FEEDS = {
  ai_analysis: {
    scope: 'ai:read',
    table: 'analysis_change',
    changeId: 'to_snapshot_id',
    events: { 'ai_analysis.change': 'true' },
    isSelected: `(w.analysis_type is null or c.analysis_type = w.analysis_type)
      and (w.change_type is null or c.change_type = w.change_type)`,
    isOfOneSource: true,
  },
  corporate_action: {
    scope: 'instruments:read',
    table: 'corporate_action_change',
    changeId: 'change_id',
    events: {
      'corporate_action.created': `c.change_kind = 'created'`,
      'corporate_action.revised': `c.change_kind = 'revised'`,
    },
    isSelected: 'true',
    isOfOneSource: false,
  },
} as const satisfies Record<string, ChangeFeed>

type Feeds = typeof CHANGE_FEEDS
export type FeedName = keyof Feeds
export type EventType = { [Name in FeedName]: keyof Feeds[Name]['events'] }[FeedName]

export const FEED_NAMES = Object.keys(CHANGE_FEEDS) as readonly FeedName[] // the keys of the literal

/** The types of the events of a feed. */
export function eventTypesOf(feed: FeedName): readonly EventType[] {
  return Object.keys(CHANGE_FEEDS[feed].events) as readonly EventType[] // its keys
}

export const WEBHOOK_EVENT_TYPES: readonly EventType[] = FEED_NAMES.flatMap(eventTypesOf)

/** Types of a webhook that names none. */
export const DEFAULT_EVENT_TYPES: readonly EventType[] = eventTypesOf('ai_analysis')

/** The scopes of the feeds of these types; a webhook needs all of them. */
export function scopesOfEvents(eventTypes: readonly string[]): readonly Scope[] {
  return FEED_NAMES.flatMap((name) =>
    eventTypesOf(name).some((type) => eventTypes.includes(type)) ? CHANGE_FEEDS[name].scope : [],
  )
}

/** Scope of the routes that manage webhooks. */
export const WEBHOOK_SCOPE = 'ai:read' satisfies Scope

/** Maximum number of webhooks per account. An account on tier free has the scope only by grant. */
export const WEBHOOKS_PER_TIER: Readonly<Record<Tier, number>> = {
  free: 1,
  starter: 1,
  growth: 5,
  pro: 20,
  enterprise: 20,
}

/** Maximum number of assets that a webhook can be narrowed to. */
export const MAX_WEBHOOK_ASSETS = 50

/** Hours for which the old secret still signs after a rotation. */
export const OVERLAP_HOURS = { min: 0, max: 168, default: 24 } as const

/** Rotations of a secret. */
export const ROTATIONS_PER_WEBHOOK = { limit: 10, windowSeconds: 3_600 } as const
/** Each test sends a request to an address that the caller chose and waits for the response. */
export const TESTS_PER_ACCOUNT = { limit: 20, windowSeconds: 3_600 } as const
/** Each replay may queue all changes again. */
export const REPLAYS_PER_WEBHOOK = { limit: 10, windowSeconds: 3_600 } as const
export const CREATIONS_PER_ACCOUNT = { limit: 60, windowSeconds: 3_600 } as const

/** A constraint of the table has the same values; the same holds for the next two types. */
export type WebhookState = 'active' | 'paused' | 'disabled'

/** Why the gateway has disabled a webhook. */
export type DisabledReason = 'gone' | 'failing' | 'access_lost' | 'over_limit'

export type DeliveryState = 'pending' | 'open' | 'delivered' | 'dead'

export interface WebhookFilter {
  readonly eventTypes: readonly EventType[]
  /** Empty for all assets. */
  readonly assetIds: readonly number[]
  /** Of changes of analyses, as the next one. */
  readonly analysisType: AnalysisType | null
  readonly changeType: ChangeType | null
}

/** A position in the order of changes. */
export interface ChangeCursor {
  readonly cursorAt: Date
  readonly cursorId: number
}

/** The position before the first change. */
export const CHANGES_START: ChangeCursor = { cursorAt: new Date(0), cursorId: 0 }

/** Number, waits and limits of attempts. */
export interface DeliveryRules {
  /** Attempts for an event before it is a dead letter. */
  readonly attempts: number
  /** Wait before the second attempt; each further wait is five times as long. */
  readonly firstRetryMs: number
  /** Limit for a whole attempt, including the response. */
  readonly timeoutMs: number
}

/** Hosts without a public address to which webhooks may lead. */
export interface WebhookHosts {
  /** Names of hosts that the operator allows to be private. */
  readonly privateHosts: ReadonlySet<string>
  /** Hosts of this machine, which are also reached by http; empty in production. */
  readonly localHosts: ReadonlySet<string>
}

/** Secrets and settings of webhooks. */
export interface Webhooks extends WebhookHosts {
  readonly signatures: WebhookSignatures
  readonly rules: DeliveryRules
}

export const webhooksPort = definePort<Webhooks>('webhooks')

/** Parses the id of a webhook; 404 for a text that is not a UUID. */
export function parseWebhookId(text: string): string {
  const id = parseUuid(text)
  if (id === null) throw noSuchWebhook()
  return id
}

export function noSuchWebhook() {
  return notFound((name) => `Your account has no such webhook; ${name('webhooks')} lists its webhooks.`)
}
