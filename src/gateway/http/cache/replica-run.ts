import type { DataVersions } from '../../../platform/database/data-version.js'
import { createReplicaView } from '../../../platform/replicas/replica-view.js'
import type { Replicas } from '../../../platform/replicas/replicas.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import type { PreparedOperation } from '../../../platform/request/transport.js'
import { type Run, runOnce } from './consistent-run.js'

/**
 * A run all of whose rows come from one replica. What depends on more than datasets (accounts, keys, quotas, what was
 * just written) is always read from the primary, and so is what waits for the next commit. Null: the primary has to.
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
 * A run on a replica that had the states of the context before the first read, and has them after the last: so its
 * answer is neither older than what this node has served, nor of two states. Null where no replica gives one.
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
  // A refusal, such as that of an unknown asset, is right under the same conditions as an answer.
  const [outcome] = await Promise.allSettled([runOnce(prepared, context, { database: view.database })])
  if (!view.isWhole() || !(await replica.confirms(identity, reads, context.datasets))) {
    replicas.counts.givenUp(replica.name)
    return null
  }
  replicas.counts.onReplica(replica.name)
  if (outcome.status === 'rejected') throw outcome.reason
  return { ...outcome.value, isConsistent: true }
}
