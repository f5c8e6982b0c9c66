import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** Seconds that the files of tests took, by their path from the root; those of less than one second are left out. */
const FILE = resolve(import.meta.dirname, 'durations.json')

const ROOT = resolve(import.meta.dirname, '../../..')

const LEAST_SECONDS = 1

type Durations = Readonly<Record<string, number>>

export function readDurations(): Durations {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Durations) : {} // our own file
}

/** Writes what the files of this run took, with MEASURE_DURATIONS set; files that did not run keep what they took before. */
export class MeasuredDurations implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (!process.env.MEASURE_DURATIONS) return
    const ran = modules.map((module) => {
      const { collectDuration, duration } = module.diagnostic()
      return [module.relativeModuleId, Math.round((collectDuration + duration) / 1000)] as const
    })
    const all = Object.entries({ ...readDurations(), ...Object.fromEntries(ran) })
    const kept = all
      .filter(([file, seconds]) => seconds >= LEAST_SECONDS && existsSync(resolve(ROOT, file)))
      .sort(([a, x], [b, y]) => y - x || a.localeCompare(b))
    writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`)
  }
}
