import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.js'
import type { DatasetName } from '../core/datasets.js'
import { failureText } from '../core/failure-text.js'
import { type DatasetStates, haveSameStates } from '../platform/database/data-version.js'
import type { Database } from '../platform/database/database.js'
import { loadDatasetStates } from '../platform/database/dataset-states-store.js'
import { openPostgresReads, type PostgresReads } from '../platform/database/postgres/postgres-reads.js'
import { REPLICA_LIMITS } from '../platform/replicas/replica.js'
import { loadServerStates, type ServerStates } from '../platform/replicas/replica-states.js'
import { type Finding, ok, problem, warning } from './finding.js'

/** Longest time for a replica to replay the commits of the primary. */
const REPLAY_MS = 2_000
const PAUSE_MS = 100

/** Checks whether each configured replica answers, is in recovery, and has the data of the primary as soon as the setting says. */
export async function checkReplicas(
  { replicaUrls, replicaMaxLagMs, isPreparing }: Config,
  primary: Database,
): Promise<readonly Finding[]> {
  if (replicaUrls.length === 0) return []
  const wanted = await loadDatasetStates(primary)
  return Promise.all(
    replicaUrls.map(async (url, at) => {
      const check = `replica ${at + 1}`
      const { host, pathname } = new URL(url)
      const server = openPostgresReads(
        { url, poolSize: 1, isPreparing },
        { limits: REPLICA_LIMITS, onError: () => {} }, // the waiting statement gets the error
      )
      try {
        const states = await caughtUp(server, wanted)
        return judge({ check, name: `${host}${pathname}`, states, wanted, maxLagMs: replicaMaxLagMs })
      } catch (error) {
        const message = `${host}${pathname} is unreachable (${failureText(error)}); reads go to the others and the primary`
        return warning(
          check,
          message,
          'start it or correct DATABASE_REPLICA_URLS; nodes reconnect by themselves',
        )
      } finally {
        await server.close()
      }
    }),
  )
}

/** States of a replica, and how long after the primary it had them. */
interface CaughtUp extends ServerStates {
  readonly waitedMs: number
}

/** Waits until the replica has all states, or until the time is over, and returns its states. */
async function caughtUp(server: PostgresReads, wanted: DatasetStates): Promise<CaughtUp> {
  const startedAt = performance.now()
  for (let waitedMs = 0; ; waitedMs = performance.now() - startedAt) {
    const states = await loadServerStates(server)
    if (
      !states.isReplica ||
      haveSameStates([...wanted.keys()], states.datasets, wanted) ||
      waitedMs > REPLAY_MS
    )
      return { ...states, waitedMs }
    await sleep(PAUSE_MS)
  }
}

interface Judged {
  readonly check: string
  readonly name: string
  readonly states: CaughtUp
  readonly wanted: DatasetStates
  readonly maxLagMs: number
}

function judge({ check, name, states, wanted, maxLagMs }: Judged): Finding {
  if (!states.isReplica) {
    const message = `${name} is not in recovery: it was promoted or never was a replica, so it is not used`
    return problem(check, message, 'make it a streaming replica of DATABASE_URL, or remove it from the list')
  }
  const lacking = [...wanted.keys()].filter(
    (name: DatasetName) => !haveSameStates([name], states.datasets, wanted),
  )
  const limit = `DATABASE_REPLICA_LAG_MS allows ${seconds(maxLagMs)}`
  if (lacking.length > 0) {
    const message = `${name} has other data versions than the primary after ${seconds(REPLAY_MS)}: ${lacking.join(', ')}; ${limit}`
    return warning(
      check,
      message,
      'check pg_stat_replication on the primary; beyond the limit the replica is not used for these datasets',
    )
  }
  if (maxLagMs === 0 || states.waitedMs <= maxLagMs)
    return ok(check, `${name} has every data version of the primary`)
  const message = `${name} has a commit ${seconds(states.waitedMs)} after the primary, but ${limit}: until then the primary answers from what changed`
  return warning(check, message, 'check pg_stat_replication on the primary, or raise DATABASE_REPLICA_LAG_MS')
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`
}
