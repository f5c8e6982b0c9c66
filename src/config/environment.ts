import { z } from 'zod'
import { SQL_RISKS } from '../platform/database/sql-roles/sql-risk-names.js'
import { PROVIDER_KEY_FORMS } from '../platform/http-client/provider-keys.js'
import { parseMailbox } from '../platform/mail/mail-address.js'
import { parseSmtpUrl } from '../platform/mail/smtp-url.js'
import { S3_ADDRESS } from '../platform/object-store/s3-target.js'
import { parseRedisUrl } from '../platform/redis/redis-address.js'
import { parseApiKey } from '../platform/secrets/api-key-format.js'
import { parseSigningKey } from '../platform/secrets/signing.js'
import { COMPAT_INTERFACES } from '../policy/compat-interfaces.js'
import { BURST_PER_MINUTE } from '../policy/limits.js'
import { parseCompatInterfaces } from './compat.js'
import { parseCorsOrigins } from './cors-origins.js'
import { parseNewsFeeds } from './news-feeds.js'

const SHARE_ERROR = 'must be a number from 0 to 1'

const port = wholeNumber(0, 65_535)
const secret = z.string().min(32, 'must be at least 32 characters')
const text = z.string().min(1)
const webAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })

const compatInterfaces = z.string().refine((given) => parseCompatInterfaces(given) !== null, {
  message: `must be all, none, or names separated by commas: ${COMPAT_INTERFACES.join(', ')}`,
})

/** More processes than the cores of one machine only wait for each other. */
const MAX_WORKERS = 64
/** 64 MiB hold thousands of responses of some kilobytes, and are small compared with the process. */
const CACHE_BYTES = 64 * 2 ** 20
/** 2 GiB. Each worker has a separate cache. */
const MAX_CACHE_BYTES = 2 ** 31

/** Mails per minute that small mail servers accept from one sender. */
const NEWSLETTER_RATE = 120
/** Mails per minute: a hundred per second. */
const MAX_NEWSLETTER_RATE = 6_000

/** Each variable with its check and default. `missingIn` checks which variables need others. */
export const Environment = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  HOST: text.default('127.0.0.1'),
  PORT: port.default(4000),
  METRICS_HOST: text.default('127.0.0.1'),
  METRICS_PORT: port.default(4001),
  WORKERS: wholeNumber(1, MAX_WORKERS).default(1),
  PUBLIC_URL: webAddress.optional(),
  DATA_DIR: text.default('.data'),
  RELEASES_LOCATION: text
    .refine((given) => /^[^:#]+$/.test(given) || S3_ADDRESS.test(given), {
      message: 'must be a directory, s3://bucket or s3://bucket/prefix',
    })
    .optional(),
  RELEASES_KEEP: wholeNumber(1).optional(),
  SEED: z.enum(['on', 'off']).optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgresql://')
    .refine((given) => !namesSeveralHosts(given), {
      message: 'must name one host that always leads to the primary; put replicas into DATABASE_REPLICA_URLS',
      abort: true,
    })
    .refine((given) => URL.canParse(given), 'must be a URL: postgresql://user:password@host:5432/database')
    .optional(),
  DATABASE_REPLICA_URLS: text.optional(),
  DATABASE_POOL_SIZE: wholeNumber(1, 200).default(10),
  DATABASE_PREPARE: z.enum(['true', 'false']).default('true'),
  SQL_PUBLIC_ADDRESS: z
    .string()
    .regex(/^([\w.-]{1,253}|\[[\da-fA-F:.]{2,45}\])(:\d{1,5})?$/, 'must be host or host:port, without scheme')
    .optional(),
  SQL_ACCEPTED_RISKS: z
    .string()
    .superRefine((given, context) => {
      const unknown = given.split(',').filter((name) => !SQL_RISKS.some((known) => known === name))
      if (unknown.length === 0) return
      const message = `${unknown.join(',')}: unknown risk; use names of: ${SQL_RISKS.join(', ')}`
      context.addIssue({ code: 'custom', message })
    })
    .optional(),
  REDIS_URL: z
    .string()
    .superRefine((given, context) => {
      const fault = faultOf(parseRedisUrl, given)
      if (fault !== null) context.addIssue({ code: 'custom', message: fault })
    })
    .optional(),
  CACHE_BYTES: wholeNumber(0, MAX_CACHE_BYTES).default(CACHE_BYTES),
  BURST_PER_MINUTE: wholeNumber(1).default(BURST_PER_MINUTE),
  KEY_PEPPER: secret.optional(),
  KEY_PEPPER_PREVIOUS: secret.optional(),
  JWT_KEYS: z
    .string()
    .regex(
      /^[\w-]+:[\w-]{43,}(,[\w-]+:[\w-]{43,})*$/,
      'must be kid:base64url[,kid:base64url…], each secret at least 32 bytes; the first one signs',
    )
    .optional(),
  SIGNING_KEY: z
    .string()
    .refine(isSigningKey, 'must be an Ed25519 private key: its seed of 32 bytes as base64url, or PKCS #8 PEM')
    .optional(),
  DEMO_KEY: text
    .refine((given) => parseApiKey(given) !== null, 'must be an API key of this gateway: mdg_…')
    .optional(),
  COMPAT: compatInterfaces.default('all'),
  COMPAT_OPEN: compatInterfaces.default('none'),
  INTROSPECTION: z.enum(['public', 'private']).optional(),
  TRUSTED_DOCUMENTS: text.optional(),
  UPGRADE_URL: webAddress.optional(),
  CORS_ORIGINS: z
    .string()
    .refine((given) => parseCorsOrigins(given) !== null, {
      message: 'must be *, none, or origins separated by commas: https://app.example',
    })
    .default('*'),
  TRUST_PROXY: z.enum(['true', 'false']).default('false'),
  READINESS_NEEDS_DATABASE: z.enum(['true', 'false']).default('false'),
  SCHEDULE: text.optional(),
  NEWS_FEEDS: z
    .string()
    .superRefine((given, context) => {
      const { fault } = parseNewsFeeds(given)
      if (fault !== null) context.addIssue({ code: 'custom', message: fault })
    })
    .optional(),
  OPENFIGI_API_KEY: text.optional(),
  ...PROVIDER_KEY_FORMS,
  ETHERSCAN_API_KEY: text.optional(),
  AI_BASE_URL: webAddress.optional(),
  AI_API_KEY: text.optional(),
  AI_MODEL: text.max(100, 'must have at most 100 characters').optional(),
  AI_CALLS_PER_RUN: wholeNumber(0, 10_000).default(30),
  SMTP_URL: z
    .string()
    .superRefine((given, context) => {
      const fault = faultOf(parseSmtpUrl, given)
      if (fault !== null) context.addIssue({ code: 'custom', message: fault })
    })
    .optional(),
  NEWSLETTER_FROM: z
    .string()
    .refine((given) => parseMailbox(given) !== null, 'must be an e-mail address, or Name <address>')
    .optional(),
  NEWSLETTER_RATE: wholeNumber(1, MAX_NEWSLETTER_RATE).default(NEWSLETTER_RATE),
  WEBHOOKS: z.enum(['on', 'off']).default('on'),
  WEBHOOK_ATTEMPTS: wholeNumber(1, 20).default(8),
  WEBHOOK_FIRST_RETRY_MS: wholeNumber(10, 600_000).default(10_000),
  WEBHOOK_TIMEOUT_MS: wholeNumber(100, 30_000).default(10_000),
  WEBHOOK_PRIVATE_HOSTS: z
    .string()
    .regex(
      /^[\w.:-]{1,253}(,[\w.:-]{1,253}){0,49}$/,
      'must be host names separated by commas, without scheme and port',
    )
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .regex(
      /^[\w-]+=[^,\s]+(,[\w-]+=[^,\s]+)*$/,
      'must be name=value pairs separated by commas, with percent-encoded values',
    )
    .optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number({ error: SHARE_ERROR })
    .min(0, { error: SHARE_ERROR })
    .max(1, { error: SHARE_ERROR })
    .default(1),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
})

/** Whether a URL names several hosts in one of the forms of libpq: `a:5432,b:5432` or `host=a,b`. */
function namesSeveralHosts(databaseUrl: string): boolean {
  const [, hosts = ''] = /^\w+:\/\/(?:[^@/?#]*@)?([^/?#]*)/.exec(databaseUrl) ?? []
  return hosts.includes(',') || /[?&]host=[^&]*(,|%2c)/i.test(databaseUrl)
}

function isSigningKey(given: string): boolean {
  try {
    return parseSigningKey(given).keyId !== ''
  } catch {
    return false
  }
}

/** Returns why an address is invalid, without its text, which may contain a password; null if it is valid. */
function faultOf(parse: (text: string) => unknown, given: string): string | null {
  try {
    parse(given)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : 'cannot be read'
  }
}

/** A whole number in decimal digits. */
function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  const error = ({ input }: { readonly input?: unknown }) =>
    `must be a whole number ${bounds}, not ${String(input).slice(0, 40)}`
  return z
    .string({ error })
    .regex(/^\d{1,16}$/, { error, abort: true })
    .transform(Number)
    .pipe(z.number({ error }).min(min, { error }).max(max, { error }))
}
