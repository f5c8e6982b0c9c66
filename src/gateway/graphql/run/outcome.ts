import type { ExecutionResult, GraphQLError } from 'graphql'
import type { Logger } from '../../../platform/logger.js'
import type { FieldPrice, Price } from '../../../policy/price.js'
import { edgesOf, type OperationPlan } from '../../../schema-kit/operation-plan.js'
import { findApiError, toPublicError } from '../errors.js'
import { type GatewayPlugin, planIn } from '../operation-context.js'
import { mergeByEdge, refusedEdgeOf, refusedEdges, toEdgeKey, withoutIndices } from './refused-edges.js'

/** More lines about one request add nothing. */
const MAX_LOGGED = 20

type Path = readonly (string | number)[]

/** Whether at least one root field has data. The response is then a success that also contains errors. */
export function hasRun({ data }: ExecutionResult): boolean {
  return data != null && Object.values(data).some((value) => value !== null)
}

/** Logs the errors with status 5xx of a run. Errors of the caller are not logged. */
export function logFailures(errors: readonly GraphQLError[], log: Logger): void {
  const ours = errors.filter((error) => toPublicError(error).status >= 500).slice(0, MAX_LOGGED)
  for (const error of ours) {
    const err = error.originalError ?? error
    if (toPublicError(error).status === 500) log.error({ err }, 'resolver failed')
    else log.warn({ err, cause: findApiError(error)?.cause }, 'resolver could not answer')
  }
}

/** Computes the refund for failed root fields, and for edges that failed with 5xx or refused all parents; null without such fields and edges. */
export function computeRefund(
  plan: OperationPlan,
  { data }: ExecutionResult,
  errors: readonly GraphQLError[],
): Price | null {
  if (errors.length === 0) return null
  const { fields } = plan
  const priced = edgesOf(plan).filter(({ units }) => units > 0)
  const refunds: FieldPrice[] = []
  let discovers = 0
  const failed = new Set<string>()
  for (const [key, { field, endpoint, units }] of fields) {
    const own = errors.filter(({ path }) => path?.[0] === key)
    if (units === 0 || (data?.[key] ?? null) !== null || own.length === 0) continue
    failed.add(key)
    if (own.some(isCharged)) continue
    refunds.push({ field, units })
    if (endpoint.cost === 'discover') discovers += 1
  }
  const ours = errors.flatMap((error) =>
    error.path && toPublicError(error).status >= 500 && !isCharged(error) ? [withoutIndices(error.path)] : [],
  )
  const refused = findRefusedEdges(priced, data, errors)
  for (const { path, units } of priced) {
    const [key = ''] = path
    const root = fields.get(key)
    if (root === undefined || root.units === 0 || failed.has(key)) continue
    if (ours.some((failure) => beginsWith(failure, path)) || refused.some((edge) => beginsWith(path, edge)))
      refunds.push({ field: root.field, units })
  }
  const units = refunds.reduce((sum, refund) => sum + refund.units, 0)
  return units === 0 ? null : { fields: refunds, units, discovers }
}

function isCharged(error: GraphQLError): boolean {
  return findApiError(error)?.isCharged === true
}

/** Edges that every parent refuses with 403. They also refuse their children. */
function findRefusedEdges(
  priced: readonly { readonly path: readonly string[] }[],
  data: ExecutionResult['data'],
  errors: readonly GraphQLError[],
): readonly Path[] {
  const refusals = new Map<string, number>()
  for (const error of errors) {
    const edge = refusedEdgeOf(error)
    if (edge !== null) refusals.set(edge, (refusals.get(edge) ?? 0) + 1)
  }
  // Counting reads every row of the response, so it is done only for edges that a parent has refused.
  return priced
    .map(({ path }) => path)
    .filter((path) => {
      const refused = refusals.get(toEdgeKey(path))
      return refused !== undefined && refused === countOccurrences(data, path)
    })
}

/** Counts how often a field occurs in a response, null included. */
function countOccurrences(value: unknown, [key = '', ...below]: readonly string[]): number {
  if (Array.isArray(value))
    return value.reduce((sum, each) => sum + countOccurrences(each, [key, ...below]), 0)
  if (typeof value !== 'object' || value === null || !(key in value)) return 0
  return below.length === 0 ? 1 : countOccurrences((value as Readonly<Record<string, unknown>>)[key], below)
}

function beginsWith(path: Path, start: Path): boolean {
  return start.every((step, at) => path[at] === step)
}

/** After a run: adds the errors of edges that the plan refused, logs failures and computes the refund. */
export function useOutcome(): GatewayPlugin {
  return {
    onExecute: ({ args, extendContext }) => ({
      onExecuteDone: ({ result, setResult }) => {
        const { log } = args.contextValue
        const plan = planIn(args.contextValue)
        // The gateway does not support incremental delivery, so the result is complete.
        const whole = result as ExecutionResult
        const errors = [...(whole.errors ?? []), ...refusedEdges(plan)]
        if (errors.length === 0) return
        logFailures(errors, log)
        extendContext({ refund: computeRefund(plan, whole, errors) })
        setResult({ ...whole, errors: mergeByEdge(errors) })
      },
    }),
  }
}
