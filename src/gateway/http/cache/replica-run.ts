import type { DataVersions } from '../../../platform/database/data-version.js'
import { createReplicaView } from '../../../platform/replicas/replica-view.js'
import type { Replicas } from '../../../platform/replicas/replicas.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import type { PreparedOperation } from '../../../platform/request/transport.js'
import { type Run, runOnce } from './consistent-run.js'

/**
 * Runs an operation with all reads on one replica. Operations that depend on more than datasets (accounts, keys, quotas,
 * recent writes) and long polls always read from the primary. Returns null if the primary must run the operation.
 */
export async function runOnReplica(
  prepared: PreparedOperation,
  context: RequestContext,
  { replicas, versions }: { readonly replicas: Replicas; readonly versions: DataVersions },
): Promise<Run | null> {
  const { reads, isCacheable, isWaiting } = prepared
  if (!isCacheable || isWaiting || reads.length === 0) return null
  const run = await provenRun(prepared, context, replicas)
  if (run !== null) return run
  // A replica may show a commit before this node has read the versions again.
  if (replicas.isAhead(reads, context.datasets)) {
    const newer = { ...context, datasets: await versions.fresh() }
    const second = await provenRun(prepared, newer, replicas)
    if (second !== null) return second
  }
  replicas.counts.onPrimary()
  return null
}

/**
 * Runs on a replica that has the dataset states of the context before the first read and after the last one. The result is
 * therefore not older than earlier responses of this node, and not a mix of two states. Null if no replica qualifies.
 */
async function provenRun(
  prepared: PreparedOperation,
  context: RequestContext,
  replicas: Replicas,
): Promise<Run | null> {
  const { reads } = prepared
  const chosen = replicas.choose(reads, context.datasets)
  if (chosen === null) return null
  const { replica, identity } = chosen
  const view = createReplicaView(context.database, replica, identity)
  // An error, e.g. for an unknown asset, is valid under the same conditions as a result.
  const [outcome] = await Promise.allSettled([runOnce(prepared, context, { database: view.database })])
  if (!view.isWhole() || !(await replica.confirms(identity, reads, context.datasets))) {
    replicas.counts.givenUp(replica.name)
    return null
  }
  replicas.counts.onReplica(replica.name)
  if (outcome.status === 'rejected') throw outcome.reason
  return { ...outcome.value, isConsistent: true }
}
