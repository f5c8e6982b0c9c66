import { parseArgs } from 'node:util'
import { CASES } from './cases/cases.js'
import { CONTENDER_KINDS, type ContenderKind, INSTALLED_KINDS } from './contenders.js'
import { type Checkout, OWN_LABEL, parseCheckout } from './gateways.js'
import { type NodeBinary, OWN_NODE, parseNode } from './nodes.js'

/** CPU seconds. After 4 seconds, Node.js 24 needed 1.3 times the time per request that it needs after 12. */
const WARM_UP_SECONDS = '12'

export interface BenchOptions {
  /** Names of the cases. */
  readonly cases: readonly string[]
  readonly contenders: readonly ContenderKind[]
  /** Compares the answers of the contenders and measures nothing. */
  readonly compareOnly: boolean
  readonly rounds: number
  /** Seconds of measurement per contender and round. */
  readonly seconds: number
  /** CPU time that a server uses up before its first measurement. */
  readonly warmUpSeconds: number
  readonly connections: number
  /** Numbers of gateway processes to compare; 1 alone compares none. */
  readonly processes: readonly number[]
  /** Whether the gateways use Redis. */
  readonly redis: boolean
  /** Other builds of the gateway to measure too. */
  readonly checkouts: readonly Checkout[]
  /** Every server runs under each of them. The first is the one that runs the benchmark. */
  readonly nodes: readonly NodeBinary[]
  /** Installs the additional packages of contenders. */
  readonly install: boolean
  /** File for the report as JSON; null without one. */
  readonly json: string | null
  readonly serverUrl: string
}

export const DEFAULT_SERVER = 'postgresql://postgres@127.0.0.1:5432/postgres'

const FLAGS = {
  cases: { type: 'string' },
  contenders: { type: 'string' },
  'compare-only': { type: 'boolean' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  'warm-up': { type: 'string' },
  connections: { type: 'string' },
  processes: { type: 'string' },
  redis: { type: 'boolean' },
  gateway: { type: 'string', multiple: true },
  node: { type: 'string', multiple: true },
  install: { type: 'boolean' },
  json: { type: 'string' },
} as const

/** Parses the command line. Throws with the reason for an invalid one. */
export function parseOptions(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  isInstalled: boolean,
): BenchOptions {
  const { values } = parseArgs({ args: [...argv], options: FLAGS })
  const install = values.install ?? false
  const checkouts = checkoutsOf(values.gateway ?? [])
  const redis = values.redis ?? false
  if (redis && checkouts.length > 0) {
    throw new Error('--redis: gateways of several databases would share the answers in one Redis')
  }
  return {
    cases: namesOf(
      '--cases',
      values.cases,
      CASES.map(({ name }) => name),
    ),
    contenders: kindsOf(values.contenders, install || isInstalled),
    compareOnly: values['compare-only'] ?? false,
    rounds: countOf('--rounds', values.rounds ?? '3'),
    seconds: countOf('--seconds', values.seconds ?? '4'),
    warmUpSeconds: countOf('--warm-up', values['warm-up'] ?? WARM_UP_SECONDS),
    connections: countOf('--connections', values.connections ?? '50'),
    processes: (values.processes ?? '1').split(',').map((text) => countOf('--processes', text)),
    redis,
    checkouts,
    nodes: [OWN_NODE, ...(values.node ?? []).map(parseNode)],
    install,
    json: values.json ?? null,
    serverUrl: env.BENCH_DATABASE_URL ?? DEFAULT_SERVER,
  }
}

/** Contenders that are not installed are skipped, unless they are requested. */
function kindsOf(text: string | undefined, isInstalled: boolean): readonly ContenderKind[] {
  const kinds = namesOf('--contenders', text, CONTENDER_KINDS)
  const missing = isInstalled ? [] : kinds.filter((kind) => INSTALLED_KINDS.includes(kind))
  if (text !== undefined && missing.length > 0) {
    throw new Error(`--contenders: ${missing.join(', ')} need their packages: add --install once`)
  }
  return kinds.filter((kind) => !missing.includes(kind))
}

function checkoutsOf(texts: readonly string[]): readonly Checkout[] {
  const checkouts: Checkout[] = []
  for (const text of texts) {
    const taken = [...CONTENDER_KINDS, OWN_LABEL, ...checkouts.map(({ label }) => label)]
    checkouts.push(parseCheckout(text, taken))
  }
  return checkouts
}

function namesOf<Name extends string>(
  flag: string,
  text: string | undefined,
  known: readonly Name[],
): readonly Name[] {
  if (text === undefined) return known
  return text.split(',').map((name) => {
    const found = known.find((candidate) => candidate === name)
    if (found === undefined) throw new Error(`${flag}: unknown name ${name}; use one of: ${known.join(', ')}`)
    return found
  })
}

/** Parses a whole number above zero. */
export function countOf(flag: string, text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw new Error(`${flag}: must be a whole number above zero; got ${text}`)
}
