import { resolve } from 'node:path'
import type { z } from 'zod'
import { parseCompatInterfaces } from './config/compat.js'
import { type CorsOrigins, parseCorsOrigins } from './config/cors-origins.js'
import { Environment } from './config/environment.js'
import { isLoopback } from './config/listening.js'
import { findMissingVariables } from './config/missing-variables.js'
import { misspelledVariables } from './config/misspelled-variables.js'
import { parseNewsFeeds } from './config/news-feeds.js'
import { parseProviderUrls } from './config/provider-urls.js'
import { parseReleaseSettings, type ReleaseSettings } from './config/releases.js'
import { parseRpcUrls, type RpcUrls } from './config/rpc-urls.js'
import { withSettingFiles } from './config/setting-files.js'
import { parseSqlAddress, type SqlServerAddress } from './config/sql-address.js'
import { parseTelemetry, type TelemetryTarget } from './config/telemetry.js'
import { parseWebhookSettings, type WebhookSettings } from './config/webhooks.js'
import type { DatabaseTarget } from './platform/database/database.js'
import type { ProviderUrls } from './platform/http-client/provider-addresses.js'
import { PROVIDER_KEY_VARIABLES, type ProviderKeys } from './platform/http-client/provider-keys.js'
import { type Mailbox, parseMailbox } from './platform/mail/mail-address.js'
import { parseSmtpUrl, type SmtpServer } from './platform/mail/smtp-url.js'
import { parseReplicaUrls } from './platform/replicas/replica-urls.js'
import { DEVELOPMENT_JWT_SECRET, DEVELOPMENT_PEPPER } from './platform/secrets/development-secrets.js'
import { readDevelopmentSigningKey } from './platform/secrets/development-signing-key.js'
import { parseSigningKey, type SigningKey } from './platform/secrets/signing.js'
import type { CompatInterfaceName } from './policy/compat-interfaces.js'

export interface Config {
  readonly mode: 'development' | 'test' | 'production'
  readonly host: string
  readonly port: number
  readonly metricsHost: string
  readonly metricsPort: number
  /** Number of processes that serve `port`; 1: only this process. */
  readonly workers: number
  /** URL at which clients reach the gateway; null: the host and port that it listens on. */
  readonly publicUrl: string | null
  readonly dataDir: string
  readonly releases: ReleaseSettings
  readonly databaseUrl: string | null
  /** Streaming replicas of the database; empty: all reads go to the primary. */
  readonly replicaUrls: readonly string[]
  /** Maximum number of connections to the database, and to each replica. */
  readonly databasePoolSize: number
  /** Whether to use prepared statements. They fail behind a pooler that shares connections between transactions. */
  readonly isPreparing: boolean
  /** Address at which users with SQL credentials reach PostgreSQL; null on the embedded database. */
  readonly sqlAddress: SqlServerAddress | null
  /** What logins may do besides reading, as names of risks that the operator accepts. Other risks stop new logins. */
  readonly sqlAcceptedRisks: ReadonlySet<string>
  readonly redisUrl: string | null
  /** Memory for cached responses, in bytes per process; 0 disables the cache. */
  readonly cacheBytes: number
  /**
   * Maximum number of requests per minute and key, and per minute and address, in one process. Each worker has an equal
   * share, rounded up, so a caller whose connections all reach one worker is limited to that share.
   */
  readonly burstPerMinute: number
  /** The secret of the keyed hashes of API keys. */
  readonly keyPepper: string
  /** The pepper before `keyPepper`: what was sealed or signed with it is accepted. Null outside a rotation. */
  readonly keyPepperPrevious: string | null
  /** Signing keys of access tokens, `kid:base64url`, separated by commas. The first one signs; all are accepted. */
  readonly jwtKeys: string
  /** The key that signs analysis snapshots, releases and receipts; null: nothing is signed. */
  readonly signingKey: SigningKey | null
  /** Public key of tier free with which visitors of the pages read data; null: they sign in. */
  readonly demoKey: string | null
  /** The compatible interfaces that are served. */
  readonly compat: ReadonlySet<CompatInterfaceName>
  /** Those that answer requests without a key as visitors with the demo key. */
  readonly compatOpen: ReadonlySet<CompatInterfaceName>
  readonly introspection: 'public' | 'private'
  /** Path of the manifest of trusted documents; null: /graphql runs any document. */
  readonly trustedDocuments: string | null
  /** Page where users get a higher tier; null: errors and answers name none. */
  readonly upgradeUrl: string | null
  /** Origins whose pages may read responses in a browser. */
  readonly corsOrigins: CorsOrigins
  /** Whether to trust X-Forwarded-For and X-Forwarded-Proto. Requires a proxy that sets them. */
  readonly trustProxy: boolean
  /** Whether `/readyz` of a node that was ready is 503 while the database does not answer. */
  readonly readinessNeedsDatabase: boolean
  /** The scheduled work: off, all, or names of datasets and jobs, separated by commas. */
  readonly schedule: string
  /** Base URLs that replace those of providers. */
  readonly providerUrls: ProviderUrls
  /** The operator's key for OpenFIGI; null: requests have no key, and OpenFIGI allows fewer of them. */
  readonly openFigiKey: string | null
  /** Keys of providers that require one. Without its key a provider is not used. */
  readonly providerKeys: ProviderKeys
  /** JSON-RPC URLs by chain id, tried in order; empty: chains are not read. */
  readonly rpcUrls: RpcUrls
  /** Etherscan key for names of contracts that Sourcify does not know; null: Etherscan is not used. */
  readonly etherscanKey: string | null
  /** URLs of RSS or Atom feeds with headlines; empty: no news is loaded. */
  readonly newsFeeds: readonly string[]
  /** OpenAI-compatible endpoint that writes the texts of analyses; null: rules write them. */
  readonly languageModel: {
    readonly baseUrl: string
    readonly apiKey: string
    readonly modelId: string
  } | null
  /** Maximum number of requests to that endpoint per scheduled run of one tier; 0: the schedule does not use it. */
  readonly aiCallsPerRun: number
  /** How to send the newsletter; null: it is not sent. */
  readonly newsletter: NewsletterMail | null
  readonly webhooks: WebhookSettings
  /** Receiver of traces and metrics; null: none are sent. */
  readonly telemetry: TelemetryTarget | null
  readonly logLevel: string
  /** Whether introspection is public, and test keys and published secrets are allowed. Always false in production. */
  readonly isDevelopment: boolean
  /** Whether to fill empty datasets with synthetic data and create a key per tier. Default: only on the embedded database. */
  readonly isSeeding: boolean
  /** Whether other machines can connect to HOST. */
  readonly isExposed: boolean
}

/** How to send the newsletter. */
export interface NewsletterMail {
  readonly server: SmtpServer
  readonly from: Mailbox
  /** Maximum number of mails per minute of all processes together. */
  readonly perMinute: number
}

/** The start failed because of the configuration. The message lists all problems. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Parses the environment and the files that it names; throws ConfigError naming every missing or wrong variable. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  // Compose files and shells set an unused variable to an empty text.
  const files = withSettingFiles(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')))
  const { given } = files
  const parsed = Environment.safeParse(given)
  const wrong = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  const rpc = parseRpcUrls(given)
  const providers = parseProviderUrls(given)
  const faults = [
    ...files.faults,
    ...findMissingVariables(given),
    ...misspelledVariables(given),
    ...wrong,
    ...rpc.faults,
    ...providers.faults,
  ]
  if (!parsed.success || faults.length > 0) {
    throw new ConfigError(`The configuration has errors:\n${faults.map((line) => `  - ${line}`).join('\n')}`)
  }
  return freeze(parsed.data, { rpcUrls: rpc.urls, providerUrls: providers.urls })
}

function freeze(
  env: z.infer<typeof Environment>,
  { rpcUrls, providerUrls }: Pick<Config, 'rpcUrls' | 'providerUrls'>,
): Config {
  const isProduction = env.NODE_ENV === 'production'
  return Object.freeze({
    mode: env.NODE_ENV,
    host: env.HOST,
    port: env.PORT,
    metricsHost: env.METRICS_HOST,
    metricsPort: env.METRICS_PORT,
    workers: env.WORKERS,
    publicUrl: env.PUBLIC_URL ?? null,
    dataDir: resolve(env.DATA_DIR),
    releases: parseReleaseSettings(env),
    databaseUrl: env.DATABASE_URL ?? null,
    replicaUrls: env.DATABASE_REPLICA_URLS ? parseReplicaUrls(env.DATABASE_REPLICA_URLS) : [],
    databasePoolSize: env.DATABASE_POOL_SIZE,
    isPreparing: env.DATABASE_PREPARE === 'true',
    sqlAddress: parseSqlAddress(env),
    sqlAcceptedRisks: new Set(env.SQL_ACCEPTED_RISKS?.split(',')),
    redisUrl: env.REDIS_URL ?? null,
    cacheBytes: env.CACHE_BYTES,
    burstPerMinute: env.BURST_PER_MINUTE,
    keyPepper: env.KEY_PEPPER ?? DEVELOPMENT_PEPPER,
    keyPepperPrevious: env.KEY_PEPPER_PREVIOUS ?? null,
    jwtKeys: env.JWT_KEYS ?? `development:${DEVELOPMENT_JWT_SECRET}`,
    signingKey: signingKeyOf(env),
    demoKey: env.DEMO_KEY ?? null,
    compat: parseCompatInterfaces(env.COMPAT) ?? new Set(),
    compatOpen: parseCompatInterfaces(env.COMPAT_OPEN) ?? new Set(),
    introspection: env.INTROSPECTION ?? (isProduction ? 'private' : 'public'),
    trustedDocuments: env.TRUSTED_DOCUMENTS ? resolve(env.TRUSTED_DOCUMENTS) : null,
    upgradeUrl: env.UPGRADE_URL ?? null,
    corsOrigins: parseCorsOrigins(env.CORS_ORIGINS) ?? new Set(),
    trustProxy: env.TRUST_PROXY === 'true',
    readinessNeedsDatabase: env.READINESS_NEEDS_DATABASE === 'true',
    schedule: env.SCHEDULE ?? (isProduction ? 'all' : 'off'),
    providerUrls,
    providerKeys: providerKeysOf(env),
    openFigiKey: env.OPENFIGI_API_KEY ?? null,
    rpcUrls,
    etherscanKey: env.ETHERSCAN_API_KEY ?? null,
    newsFeeds: env.NEWS_FEEDS ? parseNewsFeeds(env.NEWS_FEEDS).urls : [],
    languageModel: languageModel(env),
    aiCallsPerRun: env.AI_CALLS_PER_RUN,
    newsletter: newsletterMail(env),
    webhooks: parseWebhookSettings(env, !isProduction && isLoopback(env.HOST)),
    telemetry: parseTelemetry(env),
    logLevel: env.LOG_LEVEL,
    isDevelopment: !isProduction,
    isSeeding: !isProduction && (env.SEED === undefined ? env.DATABASE_URL === undefined : env.SEED === 'on'),
    isExposed: !isLoopback(env.HOST),
  })
}

/** In development on the embedded database, the key that a start keeps there is the default. */
function signingKeyOf(env: z.infer<typeof Environment>): SigningKey | null {
  if (env.SIGNING_KEY) return parseSigningKey(env.SIGNING_KEY)
  return keepsSigningKey({ mode: env.NODE_ENV, databaseUrl: env.DATABASE_URL ?? null })
    ? readDevelopmentSigningKey(resolve(env.DATA_DIR))
    : null
}

/** Whether a start without SIGNING_KEY makes a key and keeps it beside the database. */
export function keepsSigningKey({ mode, databaseUrl }: Pick<Config, 'mode' | 'databaseUrl'>): boolean {
  return mode === 'development' && databaseUrl === null
}

function languageModel(env: z.infer<typeof Environment>): Config['languageModel'] {
  const { AI_BASE_URL: baseUrl, AI_API_KEY: apiKey, AI_MODEL: modelId } = env
  return baseUrl && apiKey && modelId ? { baseUrl, apiKey, modelId } : null
}

function newsletterMail(env: z.infer<typeof Environment>): NewsletterMail | null {
  const from = parseMailbox(env.NEWSLETTER_FROM ?? '')
  if (env.SMTP_URL === undefined || from === null) return null
  return { server: parseSmtpUrl(env.SMTP_URL), from, perMinute: env.NEWSLETTER_RATE }
}

/** The configured database. */
export function databaseTarget(config: Config): DatabaseTarget {
  return config.databaseUrl === null
    ? { kind: 'embedded', directory: config.dataDir }
    : {
        kind: 'postgres',
        url: config.databaseUrl,
        poolSize: config.databasePoolSize,
        isPreparing: config.isPreparing,
      }
}

function providerKeysOf(env: z.infer<typeof Environment>): ProviderKeys {
  return Object.fromEntries(
    PROVIDER_KEY_VARIABLES.flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
