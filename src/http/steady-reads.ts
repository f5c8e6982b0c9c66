import type { ExecutionArgs, ExecutionResult } from 'graphql'
import type { DatasetName } from '../core/freshness.js'
import type { GraphQLContext } from '../graphql/builder.js'
import type { DoorPlugin } from '../graphql/door-plugin.js'
import { chargedFields } from '../graphql/plan.js'
import { isGivenAgain } from '../graphql/served-members.js'
import type { AnswerLife } from '../platform/answer-life.js'
import {
  type DatasetStates,
  type DataVersions,
  readDatasetStates,
  versionIn,
} from '../platform/data-version.js'
import type { DoorContext } from '../platform/door-context.js'

/** An operation that met a commit that often is run once more, from a snapshot of the database. */
const MAX_RUNS = 3

type SteadyContext = GraphQLContext & DoorContext & { readonly life: AnswerLife }
type Execute = (args: ExecutionArgs) => unknown

interface Run {
  readonly result: ExecutionResult
  readonly datasets: DatasetStates
  readonly isSteady: boolean
}

/**
 * An operation is several statements, and a commit may fall between two of them. So after an operation the versions of
 * what it read are read again: where one has risen, it runs once more, so that no answer holds half of a commit. What
 * stood still may be kept. Runs after the meter, whose plan says what is read: an operation is charged once.
 */
export function useSteadyReads(options: {
  readonly versions: DataVersions
  /** False: nothing is kept, and nothing is read twice. */
  readonly isKeeping: boolean
}): DoorPlugin {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const context = args.contextValue as unknown as SteadyContext // server context and request context in one
      const { plan, principal } = context
      if (plan.reads.length === 0 || principal.kind === 'anonymous') return
      setExecuteFn(async (given: ExecutionArgs) => {
        const run = options.isKeeping
          ? await runSteadily(executeFn, given, context, options.versions)
          : { ...(await runOnce(executeFn, given, context, context)), isSteady: false }
        if (plan.isKeepable && isGivenAgain(given.document)) note(run, context)
        return run.result
      })
    },
  }
}

async function runSteadily(
  execute: Execute,
  args: ExecutionArgs,
  context: SteadyContext,
  versions: DataVersions,
): Promise<Run> {
  const { reads } = context.plan
  let run = await runOnce(execute, args, context, context)
  for (let runs = 1; runs < MAX_RUNS && !isWaiting(context); runs++) {
    const datasets = await versions.fresh()
    if (areSame(reads, run.datasets, datasets)) return { ...run, isSteady: true }
    run = await runOnce(execute, args, context, { datasets })
  }
  if (isWaiting(context)) return { ...run, isSteady: false }
  if (areSame(reads, run.datasets, await versions.fresh())) return { ...run, isSteady: true }
  const last = await context.database.snapshot(async (database) =>
    runOnce(execute, args, context, { database, datasets: await readDatasetStates(database) }),
  )
  return { ...last, isSteady: true }
}

/** Loaders belong to a context: another run has its own, and reads everything again. */
async function runOnce(
  execute: Execute,
  args: ExecutionArgs,
  context: SteadyContext,
  view: Partial<Pick<SteadyContext, 'database'>> & Pick<SteadyContext, 'datasets'>,
): Promise<Omit<Run, 'isSteady'>> {
  const contextValue = view === context ? context : { ...context, ...view }
  const result = (await execute({ ...args, contextValue })) as ExecutionResult // a query is no stream
  return { result, datasets: view.datasets }
}

/** Who waits for what comes next has met the commit that it waited for. */
function isWaiting({ life, now }: SteadyContext): boolean {
  return life.endsAtMs <= now.getTime()
}

function areSame(reads: readonly DatasetName[], a: DatasetStates, b: DatasetStates): boolean {
  return reads.every((name) => versionIn(a, name) === versionIn(b, name))
}

function note({ result, datasets, isSteady }: Run, context: SteadyContext): void {
  const { life, plan } = context
  if (result.errors !== undefined || isWaiting(context)) return
  context.made = { reads: plan.reads, datasets, isSteady, life, units: chargedFields(plan) }
}
