import { type DatasetStates, haveSameStates } from '../../../platform/database/versions/data-version.js'
import type { DataVersions } from '../../../platform/database/versions/data-versions.js'
import { loadDatasetStates } from '../../../platform/database/versions/dataset-states-store.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import type { PreparedOperation, RunResult } from '../../../platform/request/transport.js'
import { Validity } from '../../../platform/request/validity.js'

/** If a commit interferes with this many runs, the operation runs once more in a snapshot of the database. */
const MAX_RUNS = 3

/** The result of a run, the dataset states that it saw, and how long it is valid. */
export interface Run {
  readonly result: RunResult
  readonly datasets: DatasetStates
  readonly validity: Validity
  /** Whether nothing that it reads changed from before the first read until after the last. */
  readonly isConsistent: boolean
}

/**
 * A run executes several statements, and a commit may happen between two of them. After a run the versions of what it reads
 * are therefore read again. If one has changed, the operation runs again, so that no response contains half of a commit.
 */
export async function runConsistently(
  prepared: PreparedOperation,
  context: RequestContext,
  versions: DataVersions,
): Promise<Run> {
  const { reads } = prepared
  let run = await runOnce(prepared, context, {})
  if (reads.length === 0) return run
  for (let runs = 1; runs < MAX_RUNS && !hasExpired(run, context); runs++) {
    const datasets = await versions.fresh()
    if (haveSameStates(reads, run.datasets, datasets)) return { ...run, isConsistent: true }
    run = await runOnce(prepared, context, { datasets })
  }
  if (hasExpired(run, context)) return run
  if (haveSameStates(reads, run.datasets, await versions.fresh())) return { ...run, isConsistent: true }
  const last = await context.database.snapshot(async (database) =>
    runOnce(prepared, context, { database, datasets: await loadDatasetStates(database, run.datasets) }),
  )
  await versions.fresh() // later answers of this node are not older
  return { ...last, isConsistent: true }
}

/** Loaders belong to a context, so another run gets a new context and reads everything again. */
export async function runOnce(
  prepared: PreparedOperation,
  context: RequestContext,
  view: Partial<Pick<RequestContext, 'database' | 'datasets'>>,
): Promise<Run> {
  const validity = context.validity?.copy() ?? new Validity()
  const own = { ...context, ...view, validity }
  return { result: await prepared.run(own), datasets: own.datasets, validity, isConsistent: false }
}

/** Whether the result is valid for its own request only, like that of a long poll, which has waited for a commit. */
export function hasExpired(
  { validity }: Pick<Run, 'validity'>,
  { now }: Pick<RequestContext, 'now'>,
): boolean {
  return validity.endsAtMs <= now.getTime()
}
