import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.js'
import type { DatasetName } from '../core/datasets.js'
import { failureText } from '../core/failure-text.js'
import type { Database } from '../platform/database/database.js'
import { openPostgresReads, type PostgresReads } from '../platform/database/postgres/postgres-reads.js'
import { type DatasetStates, haveSameStates } from '../platform/database/versions/data-version.js'
import { loadDatasetStates } from '../platform/database/versions/dataset-states-store.js'
import { REPLICA_LIMITS } from '../platform/replicas/replica.js'
import { loadServerStates, type ServerStates } from '../platform/replicas/replica-states.js'
import { type Finding, ok, problem, warning } from './finding.js'

/** Longest time for a replica to replay the commits of the primary. */
const REPLAY_MS = 2_000
const PAUSE_MS = 100

/** Checks whether each configured replica answers, is in recovery, and has the data of the primary. */
export async function checkReplicas(
  { replicaUrls, isPreparing }: Config,
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
        return judge({ check, name: `${host}${pathname}`, states, wanted })
      } catch (error) {
        const message = `${host}${pathname}: ${failureText(error)}; reads go to the others and the primary`
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

/** Waits until the replica has all states, or until the time is over, and returns its states. */
async function caughtUp(server: PostgresReads, wanted: DatasetStates): Promise<ServerStates> {
  const deadline = performance.now() + REPLAY_MS
  for (;;) {
    const states = await loadServerStates(server)
    const isDone = !states.isReplica || haveSameStates([...wanted.keys()], states.datasets, wanted)
    if (isDone || performance.now() > deadline) return states
    await sleep(PAUSE_MS)
  }
}

interface Judged {
  readonly check: string
  readonly name: string
  readonly states: ServerStates
  readonly wanted: DatasetStates
}

function judge({ check, name, states, wanted }: Judged): Finding {
  if (!states.isReplica) {
    const message = `${name} is not in recovery: it was promoted or never was a replica, so it is not used`
    return problem(check, message, 'make it a streaming replica of DATABASE_URL, or remove it from the list')
  }
  const lacking = [...wanted.keys()].filter(
    (name: DatasetName) => !haveSameStates([name], states.datasets, wanted),
  )
  if (lacking.length === 0) return ok(check, `${name} has every data version of the primary`)
  const message = `${name} has other data versions than the primary after ${REPLAY_MS / 1_000} s: ${lacking.join(', ')}`
  return warning(
    check,
    message,
    'check pg_stat_replication on the primary; until then the primary answers from these datasets',
  )
}
