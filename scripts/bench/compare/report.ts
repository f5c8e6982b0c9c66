import { cpus, totalmem } from 'node:os'
import type { Contender } from '../shared/contenders.js'
import type { BenchOptions } from '../shared/options.js'
import type { MeasuredSubject } from './measure.js'
import { type Pair, pairsOf, type Ratio, ratiosOf } from './ratios.js'

export interface CaseReport {
  readonly name: string
  /** The reason for missing figures; null if the case has figures. */
  readonly failure: string | null
  readonly notes: readonly string[]
  readonly contenders: readonly ContenderReport[]
  readonly ratios: Readonly<Record<string, Ratio>>
}

/** Medians over the rounds. */
export interface ContenderReport extends MeasuredSubject {
  readonly requestsPerSecond: number
  /** CPU time of the server's processes; null if unknown. */
  readonly cpuMicrosecondsPerRequest: number | null
  /** CPU time of the server's processes divided by elapsed time; null if unknown. */
  readonly busyShare: number | null
  readonly p50Ms: number
  readonly p99Ms: number
  /** SQL statements per request; null if not counted. */
  readonly statements: number | null
}

export interface Report {
  readonly machine: string
  readonly versions: Readonly<Record<string, string>>
  readonly placement: string
  readonly options: Omit<BenchOptions, 'serverUrl'>
  readonly cases: readonly CaseReport[]
}

export function machineText(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown'}, ${gigabytes} GiB`
}

/** Builds the report of a case. `pairs` are ratios besides those of the contenders. */
export function caseReport(
  name: string,
  measured: readonly MeasuredSubject[],
  given: {
    readonly contenders: readonly Contender[]
    readonly statementsOf: (contender: string) => number | null
    readonly notes: readonly string[]
    readonly pairs?: readonly Pair[]
  },
): CaseReport {
  const contenders = measured.map(({ measurements, ...of }) => ({
    ...of,
    measurements,
    requestsPerSecond: median(measurements.map((one) => one.requestsPerSecond)),
    cpuMicrosecondsPerRequest: medianOfKnown(measurements.map((one) => one.cpuMicrosecondsPerRequest)),
    busyShare: medianOfKnown(measurements.map((one) => one.busyShare)),
    p50Ms: median(measurements.map((one) => one.p50Ms)),
    p99Ms: median(measurements.map((one) => one.p99Ms)),
    statements: given.statementsOf(of.name),
  }))
  const ratios = ratiosOf([...pairsOf(given.contenders), ...(given.pairs ?? [])], contenders)
  return { name, failure: null, notes: given.notes, contenders, ratios }
}

export function failedCase(name: string, error: unknown): CaseReport {
  const failure = error instanceof Error ? error.message : String(error)
  return { name, failure, notes: [], contenders: [], ratios: {} }
}

function medianOfKnown(samples: readonly (number | null)[]): number | null {
  const known = samples.filter((sample) => sample !== null)
  return known.length === 0 ? null : median(known)
}

function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

const NAME_WIDTH = 22
const CELL_WIDTH = 10
const PAIR_WIDTH = 38

const HEADINGS = ['us CPU/req', 'busy', 'req/s', 'lowest', 'highest', 'p50 ms', 'p99 ms', 'bytes', 'SQL/req']

/** Formats a case as a table with ratios by CPU time and by rate. */
export function caseText({ name, failure, notes, contenders, ratios }: CaseReport): string {
  if (failure !== null) return `\n${name}\n  FAILED: ${failure}\n`
  const pairs = Object.entries(ratios)
  return `\n${[
    name,
    lineOf('', NAME_WIDTH, HEADINGS),
    ...contenders.map(contenderText),
    ...(pairs.length === 0 ? [] : [lineOf('', PAIR_WIDTH, ['by CPU', 'by req/s'])]),
    ...pairs.map(([pair, ratio]) =>
      lineOf(pair, PAIR_WIDTH, [fixed(ratio.cpu, 2), fixed(ratio.requestsPerSecond, 2)]),
    ),
    ...notes.map((note) => `  note: ${note}`),
  ].join('\n')}\n`
}

function contenderText(contender: ContenderReport): string {
  const rates = contender.measurements.map((one) => one.requestsPerSecond)
  return lineOf(contender.name, NAME_WIDTH, [
    fixed(contender.cpuMicrosecondsPerRequest, 1),
    fixed(contender.busyShare, 2),
    fixed(contender.requestsPerSecond, 0),
    fixed(Math.min(...rates), 0),
    fixed(Math.max(...rates), 0),
    fixed(contender.p50Ms, 2),
    fixed(contender.p99Ms, 2),
    String(contender.bytes),
    fixed(contender.statements, 2),
  ])
}

function lineOf(name: string, width: number, cells: readonly string[]): string {
  return `  ${name.padEnd(width)}${cells.map((cell) => ` ${cell}`.padStart(CELL_WIDTH)).join('')}`
}

function fixed(value: number | null, digits: number): string {
  return value === null ? '-' : value.toFixed(digits)
}
