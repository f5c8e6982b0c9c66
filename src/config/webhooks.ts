import type { z } from 'zod'
import type { Environment } from './environment.js'

/** How webhooks are delivered. */
export interface WebhookSettings {
  /** Whether processes with this setting deliver webhooks. */
  readonly isOn: boolean
  readonly attempts: number
  readonly firstRetryMs: number
  readonly timeoutMs: number
  readonly concurrency: number
  /** Lower-case host names that may be private. */
  readonly privateHosts: ReadonlySet<string>
}

export function parseWebhookSettings(env: z.infer<typeof Environment>): WebhookSettings {
  const hosts = env.WEBHOOK_PRIVATE_HOSTS?.toLowerCase().split(',') ?? []
  return {
    isOn: env.WEBHOOKS === 'on',
    attempts: env.WEBHOOK_ATTEMPTS,
    firstRetryMs: env.WEBHOOK_FIRST_RETRY_MS,
    timeoutMs: env.WEBHOOK_TIMEOUT_MS,
    concurrency: env.WEBHOOK_CONCURRENCY,
    privateHosts: new Set(hosts),
  }
}
