import type { ChangePosition } from '../../core/change-position.js'
import { notFound } from '../../core/errors.js'
import { parseUuid } from '../../core/identifiers.js'
import { definePort } from '../../platform/request/ports.js'
import type { WebhookSignatures } from '../../platform/secrets/webhook-signatures.js'
import type { Scope } from '../../policy/scopes.js'
import type { Tier } from '../../policy/tiers.js'
import type { AnalysisType, ChangeType } from '../analysis/model.js'
import type { EventType } from './change-feeds.js'

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

/** The position before the first change. */
export const CHANGES_START: ChangePosition = { computedAt: new Date(0), diffId: 0 }

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
