import { replicaUrlFaults } from '../platform/replicas/replica-urls.js'
import { DEVELOPMENT_JWT_SECRET, DEVELOPMENT_PEPPER } from '../platform/secrets/development-secrets.js'
import { Environment } from './environment.js'
import { isLoopback, isPortSharedTwice } from './listening.js'

const LIST = new Intl.ListFormat('en-GB')

const Listening = Environment.pick({ HOST: true, PORT: true, METRICS_HOST: true, METRICS_PORT: true })

/** Variables that production requires: [variable, meaning]. */
const REQUIRED_IN_PRODUCTION = [
  ['DATABASE_URL', 'the PostgreSQL database, postgresql://…'],
  [
    'KEY_PEPPER',
    'the secret that seals secrets of webhooks and signs links in mails, at least 32 random characters',
  ],
  ['JWT_KEYS', 'the signing keys of access tokens, kid:base64url[,kid:base64url…]'],
] as const

/** Secrets with a development value: [variable, development value, command that creates a secret one]. */
const SECRETS = [
  ['KEY_PEPPER', DEVELOPMENT_PEPPER, '$(openssl rand -base64 48)'],
  ['JWT_KEYS', DEVELOPMENT_JWT_SECRET, "k1:$(openssl rand -base64 48 | tr '+/' '-_')"],
] as const

/** Variables that are useless without each other: of the language model, and of Alpaca. */
const TOGETHER = [
  ['AI_BASE_URL', 'AI_API_KEY', 'AI_MODEL'],
  ['ALPACA_API_KEY_ID', 'ALPACA_API_SECRET_KEY'],
] as const

const PRODUCTION_IS_NOT_SEEDED =
  'SEED: a production database is never seeded; remove SEED and --seed, or start without NODE_ENV=production'

const VISITORS_NEED_A_KEY =
  'DEMO_KEY is missing: requests without a key to the interfaces of COMPAT_OPEN are counted as those of visitors with it'

const EMBEDDED_IS_NOT_SHARED =
  'WORKERS: more than 1 needs DATABASE_URL, because only one process can open the embedded database'

/** Returns a line for each variable that is missing, or that contradicts another one. */
export function findMissingVariables(given: NodeJS.ProcessEnv): readonly string[] {
  const isProduction = given.NODE_ENV === 'production'
  const secrets = isProduction
    ? REQUIRED_IN_PRODUCTION.filter(([name]) => !given[name]).map(
        ([name, what]) => `${name} is missing: ${what}`,
      )
    : []
  const together = TOGETHER.flatMap((names) => {
    const absent = names.filter((name) => !given[name])
    if (absent.length === names.length) return []
    return absent.map((name) => `${name} is missing: set ${LIST.format(names)}, or none of them`)
  })
  const known = knownSecretsIn(given)
  const replicas = replicaFaultsIn(given)
  // In production DATABASE_URL is reported as missing.
  const workers = Environment.shape.WORKERS.safeParse(given.WORKERS)
  const isShared = !isProduction && workers.success && workers.data > 1 && !given.DATABASE_URL
  const shared = isShared ? [EMBEDDED_IS_NOT_SHARED] : []
  const mail = given.SMTP_URL ? missingForMail(given) : []
  const seed = isProduction && given.SEED === 'on' ? [PRODUCTION_IS_NOT_SEEDED] : []
  const isOpen = given.COMPAT_OPEN !== undefined && given.COMPAT_OPEN !== 'none'
  const visitors = isOpen && !given.DEMO_KEY ? [VISITORS_NEED_A_KEY] : []
  const missing = [...visitors, ...secrets, ...known, ...previousPepperFaults(given), ...together, ...mail]
  return [...missing, ...seed, ...replicas, ...shared, ...portsInUseTwice(given)]
}

/** Returns a line for a previous pepper that is no other one, or that everybody knows. */
function previousPepperFaults(given: NodeJS.ProcessEnv): readonly string[] {
  const { KEY_PEPPER, KEY_PEPPER_PREVIOUS: previous } = given
  if (!previous) return []
  if (previous === (KEY_PEPPER ?? DEVELOPMENT_PEPPER))
    return ['KEY_PEPPER_PREVIOUS: equals KEY_PEPPER; remove it']
  const exposure = exposureOf(given)
  if (exposure === null || !previous.includes(DEVELOPMENT_PEPPER)) return []
  return [
    `KEY_PEPPER_PREVIOUS: the development value is public, and ${exposure}; links in mails could be forged with it`,
  ]
}

/** The variables that mails need: the sender and, in production, the URL for their links. */
function missingForMail(given: NodeJS.ProcessEnv): readonly string[] {
  const isProduction = given.NODE_ENV === 'production'
  return [
    ...(given.NEWSLETTER_FROM
      ? []
      : ['NEWSLETTER_FROM is missing: it is the sender of the mails that SMTP_URL sends']),
    ...(given.PUBLIC_URL || !isProduction
      ? []
      : ['PUBLIC_URL is missing: the links in mails that SMTP_URL sends lead to it']),
  ]
}

/** Returns a line for each invalid URL of a replica. */
function replicaFaultsIn({
  DATABASE_REPLICA_URLS: urls,
  DATABASE_URL,
}: NodeJS.ProcessEnv): readonly string[] {
  return urls ? replicaUrlFaults(urls, DATABASE_URL).map((fault) => `DATABASE_REPLICA_URLS: ${fault}`) : []
}

/** Returns a line if both servers would listen on one port. Invalid variables are reported elsewhere. */
function portsInUseTwice(given: NodeJS.ProcessEnv): readonly string[] {
  const read = Listening.safeParse(given)
  if (!read.success) return []
  const { HOST: host, PORT: port, METRICS_HOST: metricsHost, METRICS_PORT: metricsPort } = read.data
  if (!isPortSharedTwice({ host, port, metricsHost, metricsPort })) return []
  return [`METRICS_PORT: ${port} equals PORT; change one of them`]
}

/** Returns a line for each secret with its public development value, if others can reach the gateway or its database. */
function knownSecretsIn(given: NodeJS.ProcessEnv): readonly string[] {
  const exposure = exposureOf(given)
  if (exposure === null) return []
  const isKnown = (value: string | undefined, known: string) =>
    // Production reports an absent secret as missing.
    value === undefined ? given.NODE_ENV !== 'production' : value.includes(known)
  return SECRETS.filter(([name, known]) => isKnown(given[name], known)).map(
    ([name, _, own]) =>
      `${name}: the development value is public, and ${exposure}; create a secret value once and keep it: ${name}="${own}"`,
  )
}

/** Why others can reach the gateway or its database; null if only this machine can. */
function exposureOf({ DATABASE_URL, HOST }: NodeJS.ProcessEnv): string | null {
  if (DATABASE_URL) return 'DATABASE_URL is set'
  return HOST === undefined || isLoopback(HOST) ? null : `other machines can connect to HOST ${HOST}`
}
