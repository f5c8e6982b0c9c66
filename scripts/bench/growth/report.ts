import { cpus } from 'node:os'
import type { Timings } from './measure.js'
import type { Stage } from './stage.js'

/** Largest allowed ratio of a read's time to its time at the smallest size. */
const MOST_RATIO = 1.5

interface Figures {
  /** Requested number of candles. */
  readonly size: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** p50 divided by that of the smallest size. */
  readonly ratio: number
}

export interface Report {
  readonly machine: string
  readonly rounds: number
  readonly sizes: readonly (Pick<Stage, 'rows' | 'loadSeconds'> & { readonly size: number })[]
  readonly paths: readonly { readonly name: string; readonly sizes: readonly Figures[] }[]
}

/** Stages from the smallest to the largest. */
export function reportOf(stages: readonly Stage[], timings: Timings, rounds: number): Report {
  return {
    machine: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`,
    rounds,
    sizes: stages.map(({ scale, rows, loadSeconds }) => ({ size: scale.size, rows, loadSeconds })),
    paths: [...timings].map(([{ name }, byStage]) => ({ name, sizes: figuresOf([...byStage]) })),
  }
}

function figuresOf(samples: readonly (readonly [Stage, readonly number[]])[]): readonly Figures[] {
  const medians = samples.map(([, times]) => quantile(times, 0.5))
  return samples.map(([{ scale }, times], index) => ({
    size: scale.size,
    p50Ms: medians[index] ?? Number.NaN,
    p99Ms: quantile(times, 0.99),
    ratio: (medians[index] ?? Number.NaN) / (medians[0] ?? Number.NaN),
  }))
}

function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const NAME_WIDTH = 26

export function textOf({ machine, rounds, sizes, paths }: Report): string {
  const cell = (text: string) => text.padStart(9)
  const loaded = sizes.map(({ size, rows, loadSeconds }) => {
    const counts = Object.entries(rows).map(([table, count]) => `${count} ${table}`)
    return `${size.toExponential(0)}: ${counts.join(', ')}; loaded in ${loadSeconds.toFixed(1)} s`
  })
  const heads = sizes.flatMap(({ size }) => [`p50 ${size.toExponential(0)}`, 'p99', 'ratio'])
  const lines = paths.map(({ name, sizes: figures }) => {
    const cells = figures.flatMap(({ p50Ms, p99Ms, ratio }) => [
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
      ratio.toFixed(2),
    ])
    const mark = figures.some(({ ratio }) => ratio > MOST_RATIO) ? ' *' : ''
    return name.padEnd(NAME_WIDTH) + cells.map(cell).join('') + mark
  })
  return [
    `${machine}; ${rounds} rounds`,
    ...loaded,
    `${''.padEnd(NAME_WIDTH)}${heads.map(cell).join('')}`,
    ...lines,
    `ms; ratio of p50 to the smallest size; * above ${MOST_RATIO}`,
    '',
  ].join('\n')
}
