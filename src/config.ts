import { resolve } from 'node:path'
import type { z } from 'zod'
import { DEVELOPMENT_JWT_SECRET, DEVELOPMENT_PEPPER } from './config/development-secrets.js'
import { Environment } from './config/environment.js'
import { isLoopback } from './config/listening.js'
import { missingIn } from './config/missing-variables.js'
import { misspelledVariables } from './config/misspelled-variables.js'
import { parseProviderUrls } from './config/provider-urls.js'
import { parseSqlAddress, type SqlServerAddress } from './config/sql-address.js'
import { parseTelemetry, type TelemetryTarget } from './config/telemetry.js'
import { parseWebhookSettings, type WebhookSettings } from './config/webhooks.js'
import { type CorsOrigins, parseCorsOrigins } from './core/cors-origins.js'
import { parseNewsFeeds } from './core/news-feeds.js'
import { parseRpcUrls, type RpcUrls } from './core/rpc-urls.js'
import type { DatabaseTarget } from './platform/database/database.js'
import type { ProviderUrls } from './platform/http-client/provider-addresses.js'
import { PROVIDER_KEY_VARIABLES, type ProviderKeys } from './platform/http-client/provider-keys.js'
import { type Mailbox, parseMailbox } from './platform/mail/mail-address.js'
import { parseSmtpUrl, type SmtpServer } from './platform/mail/smtp-url.js'
import { parseReplicaUrls } from './platform/replicas/replica-urls.js'
import { parseSigningKey, type SigningKey } from './platform/secrets/signing.js'

export interface Config {
  readonly mode: 'development' | 'test' | 'production'
  readonly host: string
  readonly port: number
  readonly metricsHost: string
  readonly metricsPort: number
  /** Processes that answer on `port`; 1: this one alone. */
  readonly workers: number
  /** Where clients reach the gateway; null: as the socket says. */
  readonly publicUrl: string | null
  readonly dataDir: string
  readonly databaseUrl: string | null
  /** PostgreSQL's own streaming replicas of that database; empty: the primary alone is read. */
  readonly replicaUrls: readonly string[]
  /** Connections to the database, and as many to each replica. */
  readonly databasePoolSize: number
  /** Keep plans of statements on the server: not behind a pooler that shares connections between transactions. */
  readonly isPreparing: boolean
  /** Where holders of SQL credentials reach PostgreSQL; null on the embedded database. */
  readonly sqlAddress: SqlServerAddress | null
  readonly redisUrl: string | null
  /** Memory for cached answers, bytes per process; 0: none are kept. */
  readonly cacheBytes: number
  /**
   * Requests per minute and key, and per minute and address, that one process admits. Each of several
   * workers has its share, rounded up: a caller whose connections all reach one worker is limited to that share.
   */
  readonly burstPerMinute: number
  /** Pepper of the key digests. */
  readonly keyPepper: string
  /** Signing keys of access tokens, `kid:base64url` by comma; the first signs. */
  readonly jwtKeys: string
  /** Signs analysis snapshots; null: they are not signed. */
  readonly signingKey: SigningKey | null
  readonly introspection: 'public' | 'private'
  /** Manifest of the only documents that /graphql runs; null: it runs any. */
  readonly trustedDocuments: string | null
  readonly upgradeUrl: string
  /** Whose pages may read responses in a browser. */
  readonly corsOrigins: CorsOrigins
  /** Take the caller's address and protocol from X-Forwarded-For and -Proto: only behind a proxy that sets them. */
  readonly trustProxy: boolean
  /** What refreshes by itself: off, all, or names of datasets and jobs by comma. */
  readonly schedule: string
  /** Where providers are asked in place of their own address. */
  readonly providerUrls: ProviderUrls
  readonly openFigi: { readonly url: string; readonly apiKey: string | null }
  /** Keys of providers that are asked with one; without its key a provider is not asked. */
  readonly providerKeys: ProviderKeys
  /** JSON-RPC addresses by chain id, in the order in which they are tried; none: chains are not asked. */
  readonly rpcUrls: RpcUrls
  /** Key for names of contracts that Sourcify does not know; null: Etherscan is not asked. */
  readonly etherscanKey: string | null
  /** Whether the schedule reads OpenSanctions, whose terms the operator has to meet. */
  readonly hasOpenSanctions: boolean
  /** Whether the schedule reads Coin Metrics, whose terms the operator has to meet. */
  readonly hasCoinMetrics: boolean
  /** Feeds of headlines in RSS or Atom; none: news is not asked for. */
  readonly newsFeeds: readonly string[]
  /** OpenAI-compatible endpoint that words analyses; null: the rules do it alone. */
  readonly languageModel: {
    readonly baseUrl: string
    readonly apiKey: string
    readonly modelId: string
  } | null
  /** Requests to that endpoint at most in one scheduled run of one tier; 0: the schedule does not ask it. */
  readonly aiCallsPerRun: number
  /** The mail server that the newsletter goes out by, and how; null: it is not sent. */
  readonly newsletter: NewsletterMail | null
  readonly webhooks: WebhookSettings
  /** Where traces and metrics are sent; null: nowhere. */
  readonly telemetry: TelemetryTarget | null
  readonly logLevel: string
  /** Null: text on a terminal, JSON elsewhere. */
  readonly logFormat: 'json' | 'text' | null
  /** Public introspection, test keys and known secrets on this machine: never in production. */
  readonly isDevelopment: boolean
  /** Fill empty datasets with synthetic data and make a key per tier: the embedded database, or one that asks for it. */
  readonly isSeeding: boolean
  /** HOST lets other machines in. */
  readonly isExposed: boolean
}

/** How the newsletter goes out. */
export interface NewsletterMail {
  readonly server: SmtpServer
  readonly from: Mailbox
  /** Mails at most, of all processes together. */
  readonly perMinute: number
}

/** A start that cannot go on; the message lists everything that is wrong at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Parses the environment once; throws ConfigError naming every missing or wrong variable. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  // An empty variable means "not set", as compose files and shells write it.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = Environment.safeParse(given)
  const wrong = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  const rpc = parseRpcUrls(given)
  const providers = parseProviderUrls(given)
  const faults = [
    ...missingIn(given),
    ...misspelledVariables(given),
    ...wrong,
    ...rpc.faults,
    ...providers.faults,
  ]
  if (!parsed.success || faults.length > 0) {
    throw new ConfigError(
      `The configuration is not complete:\n${faults.map((line) => `  - ${line}`).join('\n')}`,
    )
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
    databaseUrl: env.DATABASE_URL ?? null,
    replicaUrls: env.DATABASE_REPLICA_URLS ? parseReplicaUrls(env.DATABASE_REPLICA_URLS) : [],
    databasePoolSize: env.DATABASE_POOL_SIZE,
    isPreparing: env.DATABASE_PREPARE === 'true',
    sqlAddress: parseSqlAddress(env),
    redisUrl: env.REDIS_URL ?? null,
    cacheBytes: env.CACHE_BYTES,
    burstPerMinute: env.BURST_PER_MINUTE,
    keyPepper: env.KEY_PEPPER ?? DEVELOPMENT_PEPPER,
    jwtKeys: env.JWT_KEYS ?? `development:${DEVELOPMENT_JWT_SECRET}`,
    signingKey: env.SIGNING_KEY ? parseSigningKey(env.SIGNING_KEY, env.SIGNING_KEY_ID ?? null) : null,
    introspection: env.INTROSPECTION ?? (isProduction ? 'private' : 'public'),
    trustedDocuments: env.TRUSTED_DOCUMENTS ? resolve(env.TRUSTED_DOCUMENTS) : null,
    upgradeUrl: env.UPGRADE_URL,
    corsOrigins: parseCorsOrigins(env.CORS_ORIGINS) ?? new Set(),
    trustProxy: env.TRUST_PROXY === 'true',
    schedule: env.SCHEDULE ?? (isProduction ? 'all' : 'off'),
    providerUrls,
    providerKeys: providerKeysOf(env),
    openFigi: { url: env.OPENFIGI_URL, apiKey: env.OPENFIGI_API_KEY ?? null },
    rpcUrls,
    etherscanKey: env.ETHERSCAN_API_KEY ?? null,
    hasOpenSanctions: env.OPENSANCTIONS === 'on',
    hasCoinMetrics: env.COINMETRICS === 'on',
    newsFeeds: env.NEWS_FEEDS ? parseNewsFeeds(env.NEWS_FEEDS).urls : [],
    languageModel: languageModel(env),
    aiCallsPerRun: env.AI_CALLS_PER_RUN,
    newsletter: newsletterMail(env),
    webhooks: parseWebhookSettings(env),
    telemetry: parseTelemetry(env),
    logLevel: env.LOG_LEVEL,
    logFormat: env.LOG_FORMAT ?? null,
    isDevelopment: !isProduction,
    isSeeding: !isProduction && (env.SEED === undefined ? env.DATABASE_URL === undefined : env.SEED === 'on'),
    isExposed: !isLoopback(env.HOST),
  })
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

/** Which database the configuration means. */
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
