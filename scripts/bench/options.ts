import { parseArgs } from 'node:util'
import { CASES } from './cases.js'
import { CONTENDERS, type ContenderName } from './contenders.js'

export interface BenchOptions {
  /** Names of cases. */
  readonly cases: readonly string[]
  readonly contenders: readonly ContenderName[]
  readonly rounds: number
  /** Measured time of a visit. */
  readonly seconds: number
  readonly connections: number
  /** Numbers of gateway processes to compare; 1 alone compares none. */
  readonly processes: readonly number[]
  /** Gives the gateways a Redis. */
  readonly redis: boolean
  /** Another build's dist/main.js; null: this tree's, compiled first. */
  readonly gateway: string | null
  /** Where the report goes as JSON; null: nowhere. */
  readonly json: string | null
  readonly serverUrl: string
}

const DEFAULT_SERVER = 'postgresql://postgres@127.0.0.1:5432/postgres'

const FLAGS = {
  cases: { type: 'string' },
  contenders: { type: 'string' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  connections: { type: 'string' },
  processes: { type: 'string' },
  redis: { type: 'boolean' },
  gateway: { type: 'string' },
  json: { type: 'string' },
} as const

/** Parses the command line; throws Error that says what is wrong. */
export function parseOptions(argv: readonly string[], env: NodeJS.ProcessEnv): BenchOptions {
  const { values } = parseArgs({ args: [...argv], options: FLAGS })
  return {
    cases: namesOf(
      '--cases',
      values.cases,
      CASES.map(({ name }) => name),
    ),
    contenders: namesOf('--contenders', values.contenders, CONTENDERS),
    rounds: countOf('--rounds', values.rounds ?? '3'),
    seconds: countOf('--seconds', values.seconds ?? '4'),
    connections: countOf('--connections', values.connections ?? '50'),
    processes: (values.processes ?? '1').split(',').map((text) => countOf('--processes', text)),
    redis: values.redis ?? false,
    gateway: values.gateway ?? null,
    json: values.json ?? null,
    serverUrl: env.BENCH_DATABASE_URL ?? DEFAULT_SERVER,
  }
}

function namesOf<Name extends string>(
  flag: string,
  text: string | undefined,
  known: readonly Name[],
): readonly Name[] {
  if (text === undefined) return known
  return text.split(',').map((name) => {
    const found = known.find((candidate) => candidate === name)
    if (found === undefined) throw new Error(`${flag}: ${name} is none of ${known.join(', ')}`)
    return found
  })
}

function countOf(flag: string, text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw new Error(`${flag}: must be a whole number above zero; got ${text}`)
}
