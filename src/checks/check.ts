import type { Config } from '../config.js'
import { failureText } from '../core/failure-text.js'
import type { Clock } from '../core/time.js'
import type { Database, Sql } from '../platform/database/database.js'
import type { Counters } from '../platform/quota/counters.js'
import { type Facts, type Finding, problem, warning } from './finding.js'

export interface ConfigurationWorld {
  readonly config: Config
  readonly clock: Clock
}

export interface CheckWorld extends ConfigurationWorld {
  readonly database: Database
}

/** What a probe of a serving process uses. */
export interface ProbeWorld {
  readonly database: Database
  readonly counters: Counters
  readonly clock: Clock
  /** The migrations of this version that the database lacks. */
  readonly pendingMigrations: (sql: Sql) => Promise<readonly string[]>
}

export interface ReadinessProbe {
  readonly name: string
  readonly isOptional: boolean
  readonly run: () => Promise<void>
}

/** A gauge with one series for each of the facts. */
export interface FactGauge {
  readonly name: string
  readonly help: string
  /** The label, and the fact that is its value. */
  readonly label: readonly [name: string, fact: string]
  /** Null: no series. */
  readonly value: (facts: Facts, now: Date) => number | null
}

interface Described {
  readonly name: string
  /** What it answers. */
  readonly question: string
  /** How bad it is when the check cannot be made. */
  readonly severity: 'warning' | 'problem'
  /** The short form that `/readyz` makes. It throws if the part is missing. Null: the installation does not use the part. */
  readonly probe?: (world: ProbeWorld) => ReadinessProbe['run'] | null
  /** Whether a node without the part answers all requests. */
  readonly isOptional?: true
  /** `admin feeds` and `/readyz` list the facts under this name. */
  readonly list?: { readonly name: string; readonly empty: string }
  readonly gauges?: readonly FactGauge[]
}

/** One question about an installation. The doctor, `/readyz`, `admin feeds` and the metrics show the answers. */
export type Check = Described &
  (
    | {
        readonly needs: 'configuration'
        readonly run: (world: ConfigurationWorld) => Promise<readonly Finding[]>
      }
    | {
        /** tables: the migrations must be applied. */
        readonly needs: 'server' | 'tables'
        readonly run: (world: CheckWorld) => Promise<readonly Finding[]>
      }
  )

/** The findings. A check that cannot be made becomes a finding too, so that the others are still reported. */
export async function findingsOf(
  { name, question, severity }: Check,
  run: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await run()
  } catch (error) {
    const report = severity === 'problem' ? problem : warning
    const message = `${question} This could not be checked: ${failureText(error)}`
    return [report(name, message, 'remove the cause and check again')]
  }
}
