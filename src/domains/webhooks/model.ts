import { notFound } from '../../core/errors.js'
import { parseUuid } from '../../core/identifiers.js'
import { definePort } from '../../platform/request/ports.js'
import type { WebhookSignatures } from '../../platform/secrets/webhook-signatures.js'
import type { Scope } from '../../policy/scopes.js'
import type { Tier } from '../../policy/tiers.js'
import type { AnalysisType, ChangeType } from '../analysis/model.js'

/** What a webhook needs: the scope of the changes that it delivers. */
export const WEBHOOK_SCOPE = 'ai:read' satisfies Scope

/** Webhooks of an account at most. The tier free has the scope by grant alone. */
export const WEBHOOKS_PER_TIER: Readonly<Record<Tier, number>> = {
  free: 1,
  starter: 1,
  growth: 5,
  pro: 20,
  enterprise: 20,
}

/** Assets that a webhook is narrowed to at most. */
export const MAX_WEBHOOK_ASSETS = 50

/** How long the secret before a rotation still signs, hours. */
export const OVERLAP_HOURS = { min: 0, max: 168, default: 24 } as const

/** New secrets: each rotation replaces the one before. */
export const ROTATIONS_PER_WEBHOOK = { limit: 10, windowSeconds: 3_600 } as const
/** Each asks an address that a caller chose, and waits for it. */
export const TESTS_PER_ACCOUNT = { limit: 20, windowSeconds: 3_600 } as const
/** Each may queue all changes again. */
export const REPLAYS_PER_WEBHOOK = { limit: 10, windowSeconds: 3_600 } as const
export const CREATIONS_PER_ACCOUNT = { limit: 60, windowSeconds: 3_600 } as const

/** Also a constraint of the table, as are the other two. */
export type WebhookState = 'active' | 'paused' | 'disabled'

/** Why the gateway has disabled a webhook. */
export type DisabledReason = 'gone' | 'failing' | 'access_lost' | 'over_limit'

export type DeliveryState = 'pending' | 'open' | 'delivered' | 'dead'

export interface WebhookFilter {
  /** Empty: of all assets. */
  readonly assetIds: readonly number[]
  readonly analysisType: AnalysisType | null
  readonly changeType: ChangeType | null
}

/** A place among the changes. */
export interface ChangeCursor {
  readonly cursorAt: Date
  readonly cursorId: number
}

/** The place before the first change. */
export const CHANGES_START: ChangeCursor = { cursorAt: new Date(0), cursorId: 0 }

/** How attempts are made. */
export interface DeliveryRules {
  /** Attempts for an event before it is a dead letter. */
  readonly attempts: number
  /** Before the second attempt; each further wait is five times as long. */
  readonly firstRetryMs: number
  /** For a whole attempt, the answer included. */
  readonly timeoutMs: number
  /** Attempts under way at once, of all webhooks together. */
  readonly concurrency: number
}

/** What webhooks need of an installation. */
export interface Webhooks {
  readonly signatures: WebhookSignatures
  readonly rules: DeliveryRules
  /** Names of hosts that may be private, by the operator's choice. */
  readonly privateHosts: ReadonlySet<string>
}

export const webhooksPort = definePort<Webhooks>('webhooks')

/** 404 for a text that is no UUID: no webhook has it. */
export function parseWebhookId(text: string): string {
  const id = parseUuid(text)
  if (id === null) throw noSuchWebhook()
  return id
}

export function noSuchWebhook() {
  return notFound((name) => `Your account has no such webhook; ${name('webhooks')} lists its webhooks.`)
}
