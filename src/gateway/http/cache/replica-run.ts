import { setTimeout as sleep } from 'node:timers/promises'
import { type DatasetStates, haveSameStates } from '../../../platform/database/data-version.js'
import type { DataVersions } from '../../../platform/database/data-versions.js'
import { createReplicaView } from '../../../platform/replicas/replica-view.js'
import type { ChosenReplica, Replicas } from '../../../platform/replicas/replicas.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import type { PreparedOperation } from '../../../platform/request/transport.js'
import type { CallerStates } from './caller-states.js'
import { type Run, runOnce } from './consistent-run.js'
import { isVerdict } from './verdicts.js'

/**
 * After this many runs that met a commit, or this long, the primary runs the operation. A caller that gets the newest versions
 * from there can use a replica only when it has them too, so another run is better.
 */
const MAX_RUNS = 6
const MAX_MS = 400

/**
 * A caller that has seen more than any replica has waits for a replica that is at most this far behind: then it goes on with
 * that replica. From the primary it would get still newer versions, and stay there while commits go on.
 */
const NEAR_MS = 250
const NEAR_CHECK_MS = 20

export interface ReplicaRunOptions {
  readonly replicas: Replicas
  readonly versions: DataVersions
  readonly caller: CallerStates
}

/**
 * Runs an operation with all reads on one replica. The answer has states that the caller may get: those of the primary, or
 * older ones that the replica has. Operations that depend on more than datasets (accounts, keys, quotas, recent writes) and
 * long polls always read from the primary. Returns null if the primary must run the operation.
 */
export async function runOnReplica(
  prepared: PreparedOperation,
  context: RequestContext,
  { replicas, versions, caller }: ReplicaRunOptions,
): Promise<Run | null> {
  const { reads, isCacheable, isWaiting } = prepared
  if (!isCacheable || isWaiting || reads.length === 0) return null
  const mustBeNewest = isVerdict(reads)
  const allows = (states: DatasetStates) => !mustBeNewest && caller.allows(reads, states)
  const deadline = performance.now() + MAX_MS
  let primary = mustBeNewest ? await versions.fresh() : context.datasets
  let isFresh = mustBeNewest
  let isChecked = false
  for (let runs = 0; runs < MAX_RUNS && performance.now() < deadline; ) {
    const chosen = replicas.choose(reads, primary, allows)
    if (chosen !== null) {
      runs += 1
      const run = await provenRun(prepared, { context, chosen, primary, replicas, caller })
      if (run !== null) return run
      isFresh = false // a commit has arrived meanwhile
    } else if (!isFresh && replicas.isAhead(primary)) {
      // A replica may show a commit before this node has read the versions again.
      primary = await versions.fresh()
      isFresh = true
    } else if (!isChecked) {
      await replicas.checkNext()
      isChecked = true
    } else if (allows(primary) && replicas.olderStates(primary, NEAR_MS).length > 0) {
      await sleep(NEAR_CHECK_MS)
      isChecked = false
      isFresh = false
    } else break
  }
  replicas.counts.onPrimary()
  return null
}

interface Chosen {
  readonly context: RequestContext
  readonly chosen: ChosenReplica
  readonly primary: DatasetStates
  readonly replicas: Replicas
  readonly caller: CallerStates
}

/**
 * Runs on a replica that has the chosen states before the first read and after the last one. The result is therefore not a
 * mix of two states. Null if it is not so.
 */
async function provenRun(
  prepared: PreparedOperation,
  { context, chosen, primary, replicas, caller }: Chosen,
): Promise<Run | null> {
  const { reads } = prepared
  const { replica, identity, datasets } = chosen
  const { database, isWhole } = createReplicaView(context.database, replica, identity)
  // An error, e.g. for an unknown asset, is valid under the same conditions as a result.
  const [outcome] = await Promise.allSettled([runOnce(prepared, context, { database, datasets })])
  if (!isWhole() || !(await replica.confirms(identity, reads, datasets))) {
    replicas.counts.givenUp(replica.name)
    return null
  }
  const isOutdated = !haveSameStates(reads, datasets, primary)
  replicas.counts.onReplica(replica.name, isOutdated)
  caller.note(reads, datasets)
  if (outcome.status === 'rejected') throw outcome.reason
  return { ...outcome.value, isConsistent: true, isOutdated }
}
