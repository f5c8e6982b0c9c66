import { type GraphQLError, locatedError } from 'graphql'
import { ApiError } from '../../../core/errors.js'
import type { Exchange, Reply } from '../../../platform/request/exchange.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import type { PreparedOperation, RunResult } from '../../../platform/request/transport.js'
import type { Cost, Price } from '../../../policy/price.js'
import type { OperationPlan } from '../../../schema-kit/operation-plan.js'
import { errorHeaders } from '../errors.js'
import type { OperationResult, RunnableOperation } from '../gateway-yoga.js'
import { MAX_VALUES } from '../plan/budget.js'
import { priceOf } from '../plan/plan.js'
import { answerText, WrittenData } from '../run/answer-text.js'
import { hasRun } from '../run/outcome.js'
import { refusedEdges } from '../run/refused-edges.js'
import { contentType, type JsonType, statusFor } from './accept.js'
import { costText } from './cost-text.js'
import { errorsText, mostSevere, withoutPath } from './error-text.js'

/** An operation that may run, and everything that is needed to write its response. */
export interface AnswerableOperation {
  readonly runnable: RunnableOperation
  readonly upgradeUrl: string | null
  readonly mediaType: JsonType
  readonly isLegacy: boolean
  readonly exchange: Exchange
}

/** Prepares a query or mutation. */
export function preparedOperation(planned: AnswerableOperation, isCacheable: boolean): PreparedOperation {
  const { plan } = planned.runnable
  const price = priceOf(plan)
  return {
    operation: operationNames(plan),
    price,
    values: plan.values ?? 0,
    reads: plan.reads,
    isCacheable,
    isVolatile: [...plan.fields.values()].some(({ endpoint }) => endpoint.isVolatile === true),
    isWaiting: [...plan.fields.values()].some(
      (field) => 'input' in field && field.endpoint.waits(field.input),
    ),
    dryRun: (cost) => dryRun(planned, price, cost),
    run: async (context) => run(planned, price, context),
  }
}

/** Root fields separated by commas, for the log and the metrics. */
export function operationNames({ fields }: OperationPlan): string | null {
  return [...fields.values()].map(({ field }) => field).join(',') || null
}

/** Creates the reply to a dry run: the price of the fields that would run, and the errors of the others. */
export function dryRun(
  { runnable: { plan }, exchange, mediaType, isLegacy, upgradeUrl }: AnswerableOperation,
  price: Price,
  cost: Cost,
): Reply {
  const refused = [...plan.fields].flatMap(([key, field]) =>
    'error' in field ? [locatedError(field.error, undefined, [key])] : [],
  )
  const errors = [...refused, ...refusedEdges(plan)]
  const isRefused = refused.length > 0 && refused.length === plan.fields.size
  const worst = isRefused ? mostSevere(refused) : null
  const values = { values: plan.values ?? 0, values_limit: MAX_VALUES }
  const members = [
    ...(errors.length > 0 ? [`"errors":${errorsText(errors, exchange, { upgradeUrl })}`] : []),
    ...(isRefused ? [] : ['"data":null']),
    `"extensions":${costText({ ...cost, price: price.units, ...values })}`,
  ]
  return {
    status: worst === null ? 200 : statusFor({ isLegacy }, worst.status),
    headers: [...contentType(mediaType), ...(worst ? errorHeaders(worst, exchange.now) : [])],
    body: `{${members.join(',')}}`,
  }
}

/** The result of an operation without data. `json` is the text `null` if the operation has run, null if it has not. */
export function refusedRun(
  { exchange, mediaType, isLegacy, upgradeUrl }: AnswerableOperation,
  errors: readonly GraphQLError[],
  refund: Price | null,
  json: 'null' | null = null,
): RunResult {
  const worst = mostSevere(errors)
  return {
    status: statusFor({ isLegacy }, worst.status),
    headers: [...contentType(mediaType), ...errorHeaders(worst, exchange.now)],
    isComplete: false,
    json: null,
    body: (cost) => textOf(errorsText(errors, exchange, { upgradeUrl }), json, cost),
    refund,
  }
}

async function run(planned: AnswerableOperation, price: Price, context: RequestContext): Promise<RunResult> {
  try {
    return await toRunResult(planned, await planned.runnable.execute(context))
  } catch (error) {
    if (error instanceof ApiError) return refusedRun(planned, [withoutPath(error)], price)
    throw error
  }
}

async function toRunResult(
  planned: AnswerableOperation,
  { result, budget, refund }: OperationResult,
): Promise<RunResult> {
  const { exchange, mediaType, upgradeUrl } = planned
  const { data, errors = [] } = result
  if (errors.length > 0 && !hasRun(result)) return refusedRun(planned, errors, refund ?? null, 'null')
  const shared = { status: 200, headers: contentType(mediaType), refund: refund ?? null }
  if (data instanceof WrittenData && errors.length === 0)
    return { ...shared, isComplete: true, json: null, bytes: data.json, body: null }
  const json = await answerText(data, budget ?? null)
  if (errors.length === 0) return { ...shared, isComplete: true, json, body: null }
  const body = (cost: Cost | null) => textOf(errorsText(errors, exchange, { upgradeUrl }), json, cost)
  return { ...shared, isComplete: false, json: null, body }
}

function textOf(errors: string, json: string | null, cost: Cost | null): string {
  const data = json === null ? '' : `,"data":${json}`
  const extensions = cost === null ? '' : `,"extensions":${costText(cost)}`
  return `{"errors":${errors}${data}${extensions}}`
}
