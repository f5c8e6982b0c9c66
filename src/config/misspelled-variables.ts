import { distance } from 'fastest-levenshtein'
import { Environment } from './environment.js'

/** Only the gateway has variables with these prefixes. Other programs use the other prefixes too. */
const OURS = /^(DATABASE_REPLICA|NEWSLETTER_|OPENFIGI_|SQL_(ACCEPTED|PUBLIC)_|WEBHOOK_)/

/** Kubernetes and Docker set such variables for a service named webhook or redis. */
const OF_SERVICES = /_(SERVICE|PORT)(_|$)/

/** Variables of other programs differ from these in one letter, such as XAI_API_KEY and those of OpenTelemetry and AWS. */
const SHARED = /^(AI_|AWS_|OTEL_)|_API_KEY$/

/** Shorter names, such as HOST, PORT and SEED, are similar to too many variables of any shell. */
const MIN_LENGTH = 7
/** Names of this length or more may differ in two letters, shorter ones in one. */
const LONG = 10

/** Returns a line for each variable that is probably a misspelled setting. Ignores all other variables of the shell. */
export function misspelledVariables(given: Readonly<Record<string, string | undefined>>): readonly string[] {
  const known = Object.keys(Environment.shape)
  return Object.keys(given).flatMap((name) => {
    if (known.includes(name) || OF_SERVICES.test(name)) return []
    const near = nearest(name, known) ?? numbered(name) ?? ofFile(name, known)
    if (unknownChain(name)) return [`${name}: unknown chain id; use one of: ${CHAIN_IDS.join(', ')}`]
    if (near !== null) return [`${name}: unknown setting; did you mean ${near}?`]
    return OURS.test(name) ? [`${name}: unknown setting; the settings guide lists all settings`] : []
  })
}

/** Chains with an Ethereum virtual machine. A test compares them with the reference data. */
export const CHAIN_IDS: readonly number[] = [1, 10, 56, 61, 100, 137, 324, 8_453, 42_161, 43_114, 59_144]

/** Whether the variable names an unknown chain id. `parseRpcUrls` reports suffixes that are not chain ids. */
function unknownChain(name: string): boolean {
  const [, id] = /^RPC_URLS_([1-9]\d{0,8})$/.exec(name) ?? []
  return id !== undefined && !CHAIN_IDS.includes(Number(id))
}

function nearest(name: string, known: readonly string[]): string | null {
  if (name.length < MIN_LENGTH || name.length > 64) return null
  const allowed = name.length < LONG ? 1 : 2
  const [best] = known
    .filter((text) => text.length >= MIN_LENGTH && !SHARED.test(text))
    .map((text) => ({ text, slips: countSlips(name.toUpperCase(), text) }))
    .filter(({ slips }) => slips <= allowed)
    .sort((a, b) => a.slips - b.slips)
  return best?.text ?? null
}

/** A plural in place of a singular, such as TRUST_PROXIES, is one slip. */
function countSlips(name: string, known: string): number {
  return singularOf(name) === singularOf(known) ? 1 : distance(name, known)
}

function singularOf(name: string): string {
  return name.endsWith('IES') ? `${name.slice(0, -'IES'.length)}Y` : name.replace(/S$/, '')
}

/** Suggests the variable that names a file with a setting. */
function ofFile(name: string, known: readonly string[]): string | null {
  const near = name.endsWith('_FILE') ? nearest(name.slice(0, -'_FILE'.length), known) : null
  return near === null ? null : `${near}_FILE`
}

/** Suggests a setting whose name ends in a chain id or a provider. */
function numbered(name: string): string | null {
  const [before = '', start = ''] = /^([A-Z_]+)_(?=\w)/i.exec(name) ?? []
  for (const known of ['RPC_URLS', 'PROVIDER_URL']) {
    const slips = distance(start.toUpperCase(), known)
    if (slips > 0 && slips <= 2) return `${known}_${name.slice(before.length)}`
  }
  return null
}
