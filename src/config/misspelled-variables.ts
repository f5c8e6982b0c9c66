import { distance } from 'fastest-levenshtein'
import { Environment } from './environment.js'

/** Names that begin like this are ours alone; of the other prefixes a shell has some too. */
const OURS = /^(DATABASE_REPLICA|NEWSLETTER_|OPENFIGI_|SQL_PUBLIC_|WEBHOOK_)/

/** Kubernetes and Docker set these for a service that is called webhook or redis. */
const OF_SERVICES = /_(SERVICE|PORT)(_|$)/

/** Other programs have names that are one letter away: XAI_API_KEY, the variables of OpenTelemetry. */
const SHARED = /^(AI_|OTEL_)|_API_KEY$/

/** Shorter names are near to too many others: HOST, PORT and SEED to those of any shell. */
const MIN_LENGTH = 7
/** Typing errors: one letter, from this length on two. */
const LONG = 10

/** A line for each variable that is probably one of ours, written wrongly; the other variables of a shell are let be. */
export function misspelledVariables(given: Readonly<Record<string, string | undefined>>): readonly string[] {
  const known = Object.keys(Environment.shape)
  return Object.keys(given).flatMap((name) => {
    if (known.includes(name) || OF_SERVICES.test(name)) return []
    const near = nearest(name, known) ?? numbered(name)
    if (unknownChain(name))
      return [`${name}: no known chain has this id; the ids are ${CHAIN_IDS.join(', ')}`]
    if (near !== null) return [`${name}: there is no such setting; did you mean ${near}?`]
    return OURS.test(name) ? [`${name}: there is no such setting; the guide of settings lists all`] : []
  })
}

/** Those of the reference's chains that have an Ethereum virtual machine; a test compares them. */
export const CHAIN_IDS: readonly number[] = [1, 10, 56, 61, 100, 137, 324, 8_453, 42_161, 43_114, 59_144]

/** What is no chain id at all is named where the addresses are read. */
function unknownChain(name: string): boolean {
  const [, id] = /^RPC_URLS_([1-9]\d{0,8})$/.exec(name) ?? []
  return id !== undefined && !CHAIN_IDS.includes(Number(id))
}

function nearest(name: string, known: readonly string[]): string | null {
  if (name.length < MIN_LENGTH || name.length > 64) return null
  const allowed = name.length < LONG ? 1 : 2
  const [best] = known
    .filter((text) => text.length >= MIN_LENGTH && !SHARED.test(text))
    .map((text) => ({ text, slips: distance(name.toUpperCase(), text) }))
    .filter(({ slips }) => slips <= allowed)
    .sort((a, b) => a.slips - b.slips)
  return best?.text ?? null
}

/** The settings whose names end with a chain or a provider. */
function numbered(name: string): string | null {
  const [, start = '', end = ''] = /^([A-Z_]+)_(\w+)$/i.exec(name) ?? []
  for (const known of ['RPC_URLS', 'PROVIDER_URL']) {
    const slips = distance(start.toUpperCase(), known)
    if (slips > 0 && slips <= 2) return `${known}_${end}`
  }
  return null
}
