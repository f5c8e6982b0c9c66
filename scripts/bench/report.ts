import { cpus, totalmem } from 'node:os'
import type { Measured } from './measure.js'
import type { BenchOptions } from './options.js'

export interface CaseReport {
  readonly name: string
  /** Why there are no figures; null: there are. */
  readonly failure: string | null
  readonly notes: readonly string[]
  readonly contenders: readonly ContenderReport[]
  /** Requests per second of one contender against another's. */
  readonly ratios: Readonly<Record<string, number>>
}

/** Medians over the rounds. */
export interface ContenderReport extends Measured {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** SQL statements per request; null: not counted. */
  readonly statements: number | null
}

export interface Report {
  readonly machine: string
  readonly versions: Readonly<Record<string, string>>
  readonly placement: string
  readonly options: Omit<BenchOptions, 'serverUrl'>
  readonly cases: readonly CaseReport[]
}

/** Pairs whose ratio is shown, where both were measured. */
const RATIOS = [
  ['gateway', 'bare'],
  ['gateway', 'fastify'],
  ['gateway', 'yoga'],
  ['gateway-cold', 'fastify'],
  ['gateway-cold', 'yoga'],
  ['gateway-cold', 'prisma-include'],
  ['gateway-304', 'bare-304'],
] as const

export function machineText(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown'}, ${gigabytes} GiB`
}

/** Puts a case's figures together; `pairs` are ratios beside the usual ones. */
export function caseReport(
  name: string,
  measured: readonly Measured[],
  given: {
    readonly statementsOf: (contender: string) => number | null
    readonly notes: readonly string[]
    readonly pairs: readonly (readonly [string, string])[]
  },
): CaseReport {
  const contenders = measured.map((contender) => ({
    ...contender,
    requestsPerSecond: median(contender.visits.map((visit) => visit.requestsPerSecond)),
    p50Ms: median(contender.visits.map((visit) => visit.p50Ms)),
    p99Ms: median(contender.visits.map((visit) => visit.p99Ms)),
    statements: given.statementsOf(contender.name),
  }))
  const rateOf = new Map(contenders.map((contender) => [contender.name, contender.requestsPerSecond]))
  const ratios = [...RATIOS, ...given.pairs].flatMap(([of, to]) => {
    const [own, other] = [rateOf.get(of), rateOf.get(to)]
    return own === undefined || other === undefined ? [] : [[`${of} / ${to}`, own / other] as const]
  })
  return { name, failure: null, notes: given.notes, contenders, ratios: Object.fromEntries(ratios) }
}

export function failedCase(name: string, error: unknown): CaseReport {
  const failure = error instanceof Error ? error.message : String(error)
  return { name, failure, notes: [], contenders: [], ratios: {} }
}

function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

const NAME_WIDTH = 20

/** One case as a table. */
export function caseText({ name, failure, notes, contenders, ratios }: CaseReport): string {
  if (failure !== null) return `\n${name}\n  FAILED: ${failure}\n`
  const head = ['req/s', 'lowest', 'highest', 'p50 ms', 'p99 ms', 'bytes', 'SQL/req']
  const lines = contenders.map((contender) => {
    const rates = contender.visits.map((visit) => visit.requestsPerSecond)
    const cells = [
      contender.requestsPerSecond.toFixed(0),
      Math.min(...rates).toFixed(0),
      Math.max(...rates).toFixed(0),
      contender.p50Ms.toFixed(2),
      contender.p99Ms.toFixed(2),
      String(contender.bytes),
      contender.statements === null ? '-' : contender.statements.toFixed(2),
    ]
    return `  ${contender.name.padEnd(NAME_WIDTH)}${cells.map((cell) => cell.padStart(10)).join('')}`
  })
  const ratioLines = Object.entries(ratios).map(([pair, ratio]) => `  ${pair.padEnd(38)}${ratio.toFixed(2)}`)
  const header = `  ${''.padEnd(NAME_WIDTH)}${head.map((cell) => cell.padStart(10)).join('')}`
  const noteLines = notes.map((note) => `  note: ${note}`)
  return `\n${[name, header, ...lines, ...ratioLines, ...noteLines].join('\n')}\n`
}
