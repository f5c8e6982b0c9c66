import { resolve } from 'node:path'
import type { z } from 'zod'
import { Environment } from './config/environment.js'
import { isLoopback, isPortSharedTwice } from './config/listening.js'
import { readProviderUrls } from './config/provider-urls.js'
import { type SqlServerAddress, sqlAddressOf } from './config/sql-address.js'
import { type TelemetryTarget, telemetryOf } from './config/telemetry.js'
import { type WebhookSettings, webhooksOf } from './config/webhooks.js'
import { parseNewsFeeds } from './core/news-feeds.js'
import { type Origins, parseOrigins } from './core/origins.js'
import { parseRpcUrls, type RpcUrls } from './core/rpc-urls.js'
import type { DatabaseTarget } from './platform/database/database.js'
import type { ProviderUrls } from './platform/http-client/provider-addresses.js'
import { PROVIDER_KEY_VARIABLES, type ProviderKeys } from './platform/http-client/provider-keys.js'
import { type Mailbox, parseMailbox } from './platform/mail/mail-address.js'
import { parseSmtpUrl, type SmtpServer } from './platform/mail/smtp-url.js'
import { parseReplicaUrls, replicaUrlFaults } from './platform/replicas/replica-urls.js'
import { parseSigningKey, type SigningKey } from './platform/secrets/signing.js'

const Listening = Environment.pick({ HOST: true, PORT: true, METRICS_HOST: true, METRICS_PORT: true })

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
  readonly corsOrigins: Origins
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
  /** Seed data and development keys: never in production. */
  readonly isDevelopment: boolean
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

/** Published with the source, so used only where other users reach neither the gateway nor its database. */
const DEVELOPMENT_PEPPER = 'development-pepper-known-to-everybody'
const DEVELOPMENT_JWT_SECRET = Buffer.from('development-signing-key-known-to-everybody').toString('base64url')

/** Must be set in production: [variable, what it is]. */
const REQUIRED_IN_PRODUCTION = [
  ['DATABASE_URL', 'the PostgreSQL database, postgresql://…'],
  ['KEY_PEPPER', 'the pepper of the API key digests, at least 32 random characters'],
  ['JWT_KEYS', 'the signing keys of access tokens, kid:base64url[,kid:base64url…]'],
] as const

/** The secrets with a development value: [variable, that value, what to set in its place]. */
const SECRETS = [
  ['KEY_PEPPER', DEVELOPMENT_PEPPER, '$(openssl rand -base64 48)'],
  ['JWT_KEYS', DEVELOPMENT_JWT_SECRET, "k1:$(openssl rand -base64 48 | tr '+/' '-_')"],
] as const

/** The language model's endpoint: one without the others is a mistake. */
const AI_VARIABLES = ['AI_BASE_URL', 'AI_API_KEY', 'AI_MODEL'] as const

const EMBEDDED_IS_NOT_SHARED =
  'WORKERS: more than 1 needs DATABASE_URL, since the embedded database belongs to one process'

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
  const providers = readProviderUrls(given)
  const faults = [...missingIn(given), ...wrong, ...rpc.faults, ...providers.faults]
  if (!parsed.success || faults.length > 0) {
    throw new ConfigError(
      `The configuration is not complete:\n${faults.map((line) => `  - ${line}`).join('\n')}`,
    )
  }
  return freeze(parsed.data, { rpcUrls: rpc.urls, providerUrls: providers.urls })
}

/** What the variables that are given need beside them, a line for each that is not there. */
function missingIn(given: NodeJS.ProcessEnv): readonly string[] {
  const isProduction = given.NODE_ENV === 'production'
  const secrets = isProduction
    ? REQUIRED_IN_PRODUCTION.filter(([name]) => !given[name]).map(
        ([name, what]) => `${name} is missing: ${what}`,
      )
    : []
  const languageModel = AI_VARIABLES.some((name) => given[name])
    ? AI_VARIABLES.filter((name) => !given[name]).map(
        (name) => `${name} is missing: AI_BASE_URL, AI_API_KEY and AI_MODEL are given together or not at all`,
      )
    : []
  const known = knownSecretsIn(given)
  const replicas = replicaFaultsIn(given)
  // In production DATABASE_URL is missing anyway.
  const workers = Environment.shape.WORKERS.safeParse(given.WORKERS)
  const isShared = !isProduction && workers.success && workers.data > 1 && !given.DATABASE_URL
  const shared = isShared ? [EMBEDDED_IS_NOT_SHARED] : []
  const mail = given.SMTP_URL ? missingForMail(given) : []
  const missing = [...secrets, ...known, ...languageModel, ...mail]
  return [...missing, ...replicas, ...shared, ...portsInUseTwice(given)]
}

/** What mails need: a sender, and in production the address that their links lead to. */
function missingForMail(given: NodeJS.ProcessEnv): readonly string[] {
  const isProduction = given.NODE_ENV === 'production'
  return [
    ...(given.NEWSLETTER_FROM ? [] : ['NEWSLETTER_FROM is missing: SMTP_URL needs the sender of the mails']),
    ...(given.PUBLIC_URL || !isProduction
      ? []
      : ['PUBLIC_URL is missing: the links in mails lead there, so SMTP_URL needs it']),
  ]
}

/** A line for each address of a replica that cannot be one. */
function replicaFaultsIn({
  DATABASE_REPLICA_URLS: urls,
  DATABASE_URL,
}: NodeJS.ProcessEnv): readonly string[] {
  return urls ? replicaUrlFaults(urls, DATABASE_URL).map((fault) => `DATABASE_REPLICA_URLS: ${fault}`) : []
}

/** A line where both servers are to listen on one port of one address; what is wrong in itself is named elsewhere. */
function portsInUseTwice(given: NodeJS.ProcessEnv): readonly string[] {
  const read = Listening.safeParse(given)
  if (!read.success) return []
  const { HOST: host, PORT: port, METRICS_HOST: metricsHost, METRICS_PORT: metricsPort } = read.data
  if (!isPortSharedTwice({ host, port, metricsHost, metricsPort })) return []
  return [`METRICS_PORT: ${port} is PORT as well; set one of them to another port`]
}

/** A line for each secret with the value that everybody knows, where others may use it. */
function knownSecretsIn(given: NodeJS.ProcessEnv): readonly string[] {
  const exposure = exposureOf(given)
  if (exposure === null) return []
  const isKnown = (value: string | undefined, known: string) =>
    // A secret that production lacks is named as missing.
    value === undefined ? given.NODE_ENV !== 'production' : value.includes(known)
  return SECRETS.filter(([name, known]) => isKnown(given[name], known)).map(
    ([name, _, own]) =>
      `${name}: everybody knows the development value, and ${exposure}: set ${name}="${own}", made once and kept`,
  )
}

/** Why others may reach the gateway or its database; null: only this machine does. */
function exposureOf({ DATABASE_URL, HOST }: NodeJS.ProcessEnv): string | null {
  if (DATABASE_URL) return 'DATABASE_URL is set'
  return HOST === undefined || isLoopback(HOST) ? null : `HOST ${HOST} lets other machines in`
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
    sqlAddress: sqlAddressOf(env),
    redisUrl: env.REDIS_URL ?? null,
    cacheBytes: env.CACHE_BYTES,
    burstPerMinute: env.BURST_PER_MINUTE,
    keyPepper: env.KEY_PEPPER ?? DEVELOPMENT_PEPPER,
    jwtKeys: env.JWT_KEYS ?? `development:${DEVELOPMENT_JWT_SECRET}`,
    signingKey: env.SIGNING_KEY ? parseSigningKey(env.SIGNING_KEY, env.SIGNING_KEY_ID ?? null) : null,
    introspection: env.INTROSPECTION ?? (isProduction ? 'private' : 'public'),
    trustedDocuments: env.TRUSTED_DOCUMENTS ? resolve(env.TRUSTED_DOCUMENTS) : null,
    upgradeUrl: env.UPGRADE_URL,
    corsOrigins: parseOrigins(env.CORS_ORIGINS) ?? new Set(),
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
    webhooks: webhooksOf(env),
    telemetry: telemetryOf(env),
    logLevel: env.LOG_LEVEL,
    logFormat: env.LOG_FORMAT ?? null,
    isDevelopment: !isProduction,
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

/** The environment with what the command line of a start adds: `--live` turns the schedule on where SCHEDULE says nothing. */
export function withFlags(env: NodeJS.ProcessEnv, args: readonly string[]): NodeJS.ProcessEnv {
  return args.includes('--live') && !env.SCHEDULE ? { ...env, SCHEDULE: 'all' } : env
}

function providerKeysOf(env: z.infer<typeof Environment>): ProviderKeys {
  return Object.fromEntries(
    PROVIDER_KEY_VARIABLES.flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
