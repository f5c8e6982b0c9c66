import type { DataVersions } from '../../../platform/database/versions/data-versions.js'
import { createReplicaView } from '../../../platform/replicas/replica-view.js'
import type { ChosenReplica, Replicas } from '../../../platform/replicas/replicas.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import type { PreparedOperation } from '../../../platform/request/transport.js'
import { type Run, runOnce } from '../cache/consistent-run.js'
import { isVerdict } from '../cache/verdicts.js'

/** After this long, commits or failed replicas have spoiled every run, and the primary runs the operation. */
const MAX_MS = 400

/**
 * Runs an operation with all reads on one replica that has exactly the data versions that this node knows of what is read.
 * Operations that depend on more than datasets (accounts, keys, quotas, recent writes) and long polls always read from the
 * primary. Returns null if the primary must run the operation.
 */
export async function runOnReplica(
  prepared: PreparedOperation,
  context: RequestContext,
  { replicas, versions }: { readonly replicas: Replicas; readonly versions: DataVersions },
): Promise<Run | null> {
  const { reads, isCacheable, isWaiting } = prepared
  if (!isCacheable || isWaiting || reads.length === 0) return null
  const deadline = performance.now() + MAX_MS
  let datasets = await (isVerdict(reads) ? versions.fresh() : versions.current())
  do {
    const chosen = replicas.choose(reads, datasets)
    if (chosen === null) break
    const run = await provenRun(prepared, { ...context, datasets }, replicas, chosen)
    if (run !== null) return run
    datasets = await versions.fresh() // a commit has arrived meanwhile
  } while (performance.now() < deadline)
  replicas.counts.onPrimary()
  return null
}

/**
 * Runs on a replica that has the chosen states before the first read and after the last one. The result is therefore not a
 * mix of two states. Null if it is not so.
 */
async function provenRun(
  prepared: PreparedOperation,
  context: RequestContext,
  { counts }: Replicas,
  { replica, identity }: ChosenReplica,
): Promise<Run | null> {
  const { database, isWhole } = createReplicaView(context.database, replica, identity)
  // An error, e.g. for an unknown asset, is valid under the same conditions as a result.
  const [outcome] = await Promise.allSettled([runOnce(prepared, context, { database })])
  if (!isWhole() || !(await replica.confirms(identity, prepared.reads, context.datasets))) {
    counts.givenUp(replica.name)
    return null
  }
  counts.onReplica(replica.name)
  if (outcome.status === 'rejected') throw outcome.reason
  return { ...outcome.value, isConsistent: true }
}
