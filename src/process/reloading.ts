import type { LiveSettings } from '../config/live-settings.js'
import type { Config, LoadedSettings, NewsletterMail } from '../config.js'
import { failureText } from '../core/failure-text.js'
import { PROVIDER_KEY_VARIABLES } from '../platform/http-client/provider-keys.js'
import type { Logger } from '../platform/logger.js'
import type { S3Target } from '../platform/object-store/s3-target.js'

/** Settings of the schedule: it is started again when one of them has changed. */
const OF_SCHEDULE = [
  'SCHEDULE',
  'NEWS_FEEDS',
  'OPENSANCTIONS',
  'COINMETRICS',
  'OPENFIGI_API_KEY',
  'ETHERSCAN_API_KEY',
  'AI_BASE_URL',
  'AI_API_KEY',
  'AI_MODEL',
  ...PROVIDER_KEY_VARIABLES,
] as const

/** Credentials for the bucket of releases. The schedule uses them only if it writes releases. */
const OF_BUCKET = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const

/** The settings that a running gateway takes over. Any other waits for the next start. */
const RELOADABLE: ReadonlySet<string> = new Set([
  'LOG_LEVEL',
  'CORS_ORIGINS',
  'DEMO_KEY',
  'SMTP_URL',
  ...OF_BUCKET,
  ...OF_SCHEDULE,
])

/** What a process does with settings that were read again. */
export interface ReloadSteps {
  /** Throws if the settings cannot be used. Nothing has changed then. */
  check?(config: Config): void | Promise<void>
  /** The key that the pages use with these settings. */
  pageKeyOf(config: Config): string | null
  /** Called after the new settings count. `isOfSchedule`: a setting of the schedule is among the changed ones. */
  changed?(settings: LiveSettings, isOfSchedule: boolean): void | Promise<void>
}

export interface Reloading {
  /** The settings as they were read last. */
  live(): LiveSettings
  /** Reads the settings again. Faulty ones are logged and change nothing. Calls run one after another. */
  reload(): Promise<void>
}

/**
 * Reads settings again while the process runs. The environment of a process never changes, so only settings in files
 * (`<NAME>_FILE`, credentials of systemd) can differ.
 */
export function createReloading(
  initial: LoadedSettings,
  read: () => LoadedSettings,
  log: Pick<Logger, 'info' | 'warn' | 'error' | 'setLevel'>,
  steps: ReloadSteps,
): Reloading {
  let settings = initial
  let live: LiveSettings = { config: initial.config, pageKey: steps.pageKeyOf(initial.config) }
  let running: Promise<void> = Promise.resolve()
  const reloadOnce = async () => {
    const next = read()
    const changed = changedNames(settings.given, next.given)
    const isTaken = (name: string) =>
      RELOADABLE.has(name) && (name !== 'SMTP_URL' || hasMailServer(live.config, next.config))
    const taken = changed.filter(isTaken)
    const waiting = changed.filter((name) => !isTaken(name))
    const config = withTaken(live.config, next.config)
    await steps.check?.(config)
    settings = next
    live = { config, pageKey: steps.pageKeyOf(config) }
    log.setLevel(config.logLevel)
    if (waiting.length > 0) log.warn({ settings: waiting }, 'changed settings wait for the next start')
    const { isWeekly } = config.releases
    const ofSchedule: ReadonlySet<string> = new Set(isWeekly ? [...OF_SCHEDULE, ...OF_BUCKET] : OF_SCHEDULE)
    await steps.changed?.(
      live,
      taken.some((name) => ofSchedule.has(name)),
    )
    log.info({ settings: taken }, 'settings were read again')
  }
  return {
    live: () => live,
    reload: () => {
      running = running.then(reloadOnce).catch((error: unknown) => {
        log.error({ reason: failureText(error) }, 'the settings have faults, so the former ones stay')
      })
      return running
    },
  }
}

function changedNames(before: LoadedSettings['given'], after: LoadedSettings['given']): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => before[name] !== after[name]).sort()
}

/** Whether both send mails: that begins and ends only with a start. */
function hasMailServer(current: Config, next: Config): boolean {
  return current.newsletter !== null && next.newsletter !== null
}

/** The members of the reloadable settings from `next`, all others as they are. */
function withTaken(current: Config, next: Config): Config {
  return Object.freeze({
    ...current,
    logLevel: next.logLevel,
    corsOrigins: next.corsOrigins,
    demoKey: next.demoKey,
    schedule: next.schedule,
    newsFeeds: next.newsFeeds,
    hasOpenSanctions: next.hasOpenSanctions,
    hasCoinMetrics: next.hasCoinMetrics,
    providerKeys: next.providerKeys,
    openFigi: { ...current.openFigi, apiKey: next.openFigi.apiKey },
    etherscanKey: next.etherscanKey,
    languageModel: next.languageModel,
    newsletter: withMailServer(current.newsletter, next.newsletter),
    releases: { ...current.releases, bucket: withCredentials(current.releases.bucket, next.releases.bucket) },
  })
}

function withMailServer(current: NewsletterMail | null, next: NewsletterMail | null): NewsletterMail | null {
  return current === null || next === null ? current : { ...current, server: next.server }
}

function withCredentials(current: S3Target | null, next: S3Target | null): S3Target | null {
  if (current === null || next === null) return current
  const { accessKeyId, secretAccessKey, sessionToken } = next
  return { ...current, accessKeyId, secretAccessKey, sessionToken }
}
