import type { z } from 'zod'
import type { Environment } from './environment.js'

/** How webhooks are delivered. */
export interface WebhookSettings {
  /** Whether processes with this setting deliver webhooks. */
  readonly isOn: boolean
  readonly attempts: number
  readonly firstRetryMs: number
  readonly timeoutMs: number
  /** Lower-case host names that may be private. */
  readonly privateHosts: ReadonlySet<string>
  /** Hosts of this machine to which webhooks may lead, also by http; empty in production. */
  readonly localHosts: ReadonlySet<string>
}

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1'])

const NO_HOSTS: ReadonlySet<string> = new Set()

/** `isLocal`: a development gateway that listens on this machine only, so that nobody else can register webhooks. */
export function parseWebhookSettings(env: z.infer<typeof Environment>, isLocal: boolean): WebhookSettings {
  const hosts = env.WEBHOOK_PRIVATE_HOSTS?.toLowerCase().split(',') ?? []
  return {
    isOn: env.WEBHOOKS === 'on',
    attempts: env.WEBHOOK_ATTEMPTS,
    firstRetryMs: env.WEBHOOK_FIRST_RETRY_MS,
    timeoutMs: env.WEBHOOK_TIMEOUT_MS,
    privateHosts: new Set(hosts),
    localHosts: isLocal ? LOCAL_HOSTS : NO_HOSTS,
  }
}
