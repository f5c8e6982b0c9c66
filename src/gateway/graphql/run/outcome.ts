import type { ExecutionResult, GraphQLError } from 'graphql'
import type { Logger } from '../../../platform/logger.js'
import type { FieldPrice, Price } from '../../../policy/price.js'
import type { OperationPlan } from '../../../schema-kit/operation-plan.js'
import { findApiError, toPublicError } from '../errors.js'
import { edgeText, refusedEdgeOf, withoutIndices } from './refused-edges.js'

/** More lines about one request tell nothing new. */
const MAX_LOGGED = 20

type Path = readonly (string | number)[]

/** Whether something of the operation was answered: then the whole is a success, with the errors beside it. */
export function hasRun({ data }: ExecutionResult): boolean {
  return data != null && Object.values(data).some((value) => value !== null)
}

/** Logs what is masked, or lies with us, once per run; what is the caller's own is not logged. */
export function logFailures(errors: readonly GraphQLError[], log: Logger): void {
  const ours = errors.filter((error) => toPublicError(error).status >= 500).slice(0, MAX_LOGGED)
  for (const error of ours) {
    const err = error.originalError ?? error
    if (toPublicError(error).status === 500) log.error({ err }, 'resolver failed')
    else log.warn({ err, cause: findApiError(error)?.cause }, 'resolver could not answer')
  }
}

/** What was charged for root fields that failed, and for edges that failed on our side or refused all parents; null: nothing. */
export function computeRefund(
  { fields, edges }: OperationPlan,
  { data }: ExecutionResult,
  errors: readonly GraphQLError[],
): Price | null {
  if (errors.length === 0) return null
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
  const refused = whollyRefused(edges?.priced ?? [], data, errors)
  for (const { path, units } of edges?.priced ?? []) {
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

/** Edges that are a 403 for every parent there is: so is all that is below them. */
function whollyRefused(
  priced: readonly { readonly path: readonly string[] }[],
  data: ExecutionResult['data'],
  errors: readonly GraphQLError[],
): readonly Path[] {
  const refusals = new Map<string, number>()
  for (const error of errors) {
    const edge = refusedEdgeOf(error)
    if (edge !== null) refusals.set(edge, (refusals.get(edge) ?? 0) + 1)
  }
  // Places are counted only of edges that were refused somewhere: counting reads every row of the answer.
  return priced
    .map(({ path }) => path)
    .filter((path) => {
      const refused = refusals.get(edgeText(path))
      return refused !== undefined && refused === placesOf(data, path)
    })
}

/** In how many places of an answer a field is, null or not. */
function placesOf(value: unknown, [key = '', ...below]: readonly string[]): number {
  if (Array.isArray(value)) return value.reduce((sum, each) => sum + placesOf(each, [key, ...below]), 0)
  if (typeof value !== 'object' || value === null || !(key in value)) return 0
  // The key was found in it.
  return below.length === 0 ? 1 : placesOf((value as Readonly<Record<string, unknown>>)[key], below)
}

function beginsWith(path: Path, start: Path): boolean {
  return start.every((step, at) => path[at] === step)
}
