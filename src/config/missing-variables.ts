import { replicaUrlFaults } from '../platform/replicas/replica-urls.js'
import { DEVELOPMENT_JWT_SECRET, DEVELOPMENT_PEPPER } from './development-secrets.js'
import { Environment } from './environment.js'
import { isLoopback, isPortSharedTwice } from './listening.js'

const Listening = Environment.pick({ HOST: true, PORT: true, METRICS_HOST: true, METRICS_PORT: true })

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

const PRODUCTION_IS_NOT_SEEDED =
  'SEED: production is never seeded; leave SEED and --seed out, or start without NODE_ENV=production'

const EMBEDDED_IS_NOT_SHARED =
  'WORKERS: more than 1 needs DATABASE_URL, since the embedded database belongs to one process'

/** What the variables that are given need beside them, a line for each that is not there. */
export function missingIn(given: NodeJS.ProcessEnv): readonly string[] {
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
  const seed = isProduction && given.SEED === 'on' ? [PRODUCTION_IS_NOT_SEEDED] : []
  const missing = [...secrets, ...known, ...languageModel, ...mail]
  return [...missing, ...seed, ...replicas, ...shared, ...portsInUseTwice(given)]
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
