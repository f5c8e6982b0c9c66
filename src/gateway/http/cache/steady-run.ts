import type { DatasetName } from '../../../core/datasets.js'
import {
  type DatasetStates,
  type DataVersions,
  readDatasetStates,
  versionIn,
} from '../../../platform/database/data-version.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import type { Made, Prepared } from '../../../platform/request/transport.js'
import { Validity } from '../../../platform/request/validity.js'

/** After so many runs with a commit meanwhile a request is run once more, from a snapshot of the database. */
const MAX_RUNS = 3

/** What was made, how the datasets were meanwhile, and how long it stays right. */
export interface Run {
  readonly made: Made
  readonly datasets: DatasetStates
  readonly validity: Validity
  /** Whether no dataset changed from before the first read until after the last. */
  readonly isSteady: boolean
}

/**
 * A run is several statements, and a commit may fall between two of them. So after a run the versions of what it read
 * are read again: where one has risen, it runs once more, so that no response holds half of a commit.
 */
export async function runSteadily(
  prepared: Prepared,
  context: RequestContext,
  versions: DataVersions,
): Promise<Run> {
  const { reads } = prepared
  let run = await runOnce(prepared, context, {})
  if (reads.length === 0) return run
  for (let runs = 1; runs < MAX_RUNS && !hasExpired(run, context); runs++) {
    const datasets = await versions.fresh()
    if (areSame(reads, run.datasets, datasets)) return { ...run, isSteady: true }
    run = await runOnce(prepared, context, { datasets })
  }
  if (hasExpired(run, context)) return run
  if (areSame(reads, run.datasets, await versions.fresh())) return { ...run, isSteady: true }
  const last = await context.database.snapshot(async (database) =>
    runOnce(prepared, context, { database, datasets: await readDatasetStates(database) }),
  )
  return { ...last, isSteady: true }
}

/** Loaders belong to a context: another run has its own, and reads everything again. */
export async function runOnce(
  prepared: Prepared,
  context: RequestContext,
  view: Partial<Pick<RequestContext, 'database' | 'datasets'>>,
): Promise<Run> {
  const validity = context.validity?.copy() ?? new Validity()
  const own = { ...context, ...view, validity }
  return { made: await prepared.run(own), datasets: own.datasets, validity, isSteady: false }
}

/** Whether the result is valid for its own request only, as that of a long poll: it has waited for a commit. */
export function hasExpired(
  { validity }: Pick<Run, 'validity'>,
  { now }: Pick<RequestContext, 'now'>,
): boolean {
  return validity.endsAtMs <= now.getTime()
}

function areSame(reads: readonly DatasetName[], a: DatasetStates, b: DatasetStates): boolean {
  return a === b || reads.every((name) => versionIn(a, name) === versionIn(b, name))
}
