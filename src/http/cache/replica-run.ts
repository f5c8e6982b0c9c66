import { viewOf } from '../../platform/replicas/replica-view.js'
import type { Replicas } from '../../platform/replicas/replicas.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { Prepared } from '../../platform/request/transport.js'
import { type Run, runOnce } from './steady-run.js'

/**
 * A run all of whose rows come from one replica, in the states that the request came in with: it had these before the
 * first read, and has them after the last. So an answer is never older than what this node has served. Null where no
 * replica gives one: then the primary has to. What depends on more than datasets (accounts, keys, quotas, what was just
 * written) is always read from the primary, and so is what waits for the next commit.
 */
export async function runOnReplica(
  prepared: Prepared,
  context: RequestContext,
  replicas: Replicas,
): Promise<Run | null> {
  const { reads, isCacheable, isWaiting } = prepared
  if (!isCacheable || isWaiting || reads.length === 0) return null
  const chosen = replicas.choose(reads, context.datasets)
  if (chosen === null) {
    replicas.counts.onPrimary()
    return null
  }
  const { replica, identity } = chosen
  const view = viewOf(context.database, replica, identity)
  // A refusal, such as that of an unknown asset, is right under the same conditions as an answer.
  const [outcome] = await Promise.allSettled([runOnce(prepared, context, { database: view.database })])
  if (!view.isWhole() || !(await replica.confirms(identity, reads, context.datasets))) {
    replicas.counts.givenUp(replica.name)
    return null
  }
  replicas.counts.onReplica(replica.name)
  if (outcome.status === 'rejected') throw outcome.reason
  return { ...outcome.value, isSteady: true }
}
