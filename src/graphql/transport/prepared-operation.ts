import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  locatedError,
  type OperationDefinitionNode,
} from 'graphql'
import { ApiError } from '../../core/errors.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { Made, Prepared } from '../../platform/request/transport.js'
import { type Cost, FREE, type Price } from '../../policy/price.js'
import { COSTLY_VALUES, MAX_VALUES } from '../budget.js'
import type { GraphQLContext } from '../builder.js'
import { errorHeaders } from '../errors.js'
import { chargedFields, type OperationPlan } from '../plan.js'
import { answerText } from '../run/answer-text.js'
import type { CompiledOperations } from '../run/compiled-operations.js'
import type { CostlyOperations } from '../run/costly-operations.js'
import { hasRun, logFailures, refundOf } from '../run/outcome.js'
import { oncePerEdge, refusedEdges } from '../run/refused-edges.js'
import { Turns } from '../run/turns.js'
import { contentType, type JsonType } from './accept.js'
import { costText } from './cost-text.js'
import { errorsText, gravestOf, unplaced } from './error-text.js'
import type { OperationParameters } from './parameters.js'

/** An operation that was read and planned, and what runs it. */
export interface PlannedOperation {
  readonly schema: GraphQLSchema
  readonly upgradeUrl: string
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly parameters: OperationParameters
  readonly plan: OperationPlan
  readonly mediaType: JsonType
  readonly exchange: Exchange
  readonly costly: CostlyOperations
  readonly compiled: CompiledOperations
}

/** A query or mutation that may run. */
export function preparedOperation(planned: PlannedOperation, isCacheable: boolean): Prepared {
  const { plan } = planned
  const price = priceOf(plan)
  return {
    operation: operationNames(plan),
    price,
    reads: plan.reads,
    isCacheable,
    isWaiting: [...plan.fields.values()].some(
      (field) => 'input' in field && field.endpoint.waits(field.input),
    ),
    dryRun: (cost) => dryRun(planned, price, cost),
    run: async (context) => run(planned, price, context),
  }
}

/** Root fields by comma, as the log and the metrics have them. */
export function operationNames({ fields }: OperationPlan): string | null {
  return [...fields.values()].map(({ field }) => field).join(',') || null
}

export function priceOf(plan: OperationPlan): Price {
  const { values = 0 } = plan
  if (plan.units === 0) return { ...FREE, values }
  const discovers = [...plan.fields.values()].filter(
    ({ endpoint, units }) => endpoint.cost === 'discover' && units > 0,
  )
  return { fields: chargedFields(plan), units: plan.units, discovers: discovers.length, values }
}

/** The reply to a dry run: the price of what would run, and why the rest would be refused. */
export function dryRun(
  { plan, exchange, mediaType, upgradeUrl }: PlannedOperation,
  price: Price,
  cost: Cost,
): Reply {
  const refused = [...plan.fields].flatMap(([key, field]) =>
    'error' in field ? [locatedError(field.error, undefined, [key])] : [],
  )
  const errors = [...refused, ...refusedEdges(plan)]
  const isRefused = refused.length > 0 && refused.length === plan.fields.size
  const gravest = isRefused ? gravestOf(refused) : null
  const values = { values: plan.values ?? 0, values_limit: MAX_VALUES }
  const members = [
    ...(errors.length > 0 ? [`"errors":${errorsText(errors, exchange, { upgradeUrl })}`] : []),
    ...(isRefused ? [] : ['"data":null']),
    `"extensions":${costText({ ...cost, price: price.units, ...values })}`,
  ]
  return {
    status: gravest?.status ?? 200,
    headers: [...contentType(mediaType), ...(gravest ? errorHeaders(gravest, exchange.now) : [])],
    body: `{${members.join(',')}}`,
  }
}

/** The error, when it is one of ours, takes nothing from the caller. */
export function refusedRun(
  { exchange, mediaType, upgradeUrl }: PlannedOperation,
  errors: readonly GraphQLError[],
  refund: Price | null,
): Made {
  const gravest = gravestOf(errors)
  return {
    status: gravest.status,
    headers: [...contentType(mediaType), ...errorHeaders(gravest, exchange.now)],
    isComplete: false,
    json: null,
    body: (cost) => textOf(errorsText(errors, exchange, { upgradeUrl }), null, cost),
    refund,
  }
}

async function run(planned: PlannedOperation, price: Price, context: RequestContext): Promise<Made> {
  const { plan, costly } = planned
  const values = plan.values ?? 0
  let leave = () => {}
  try {
    leave = costly.enter(values, context.principal, context.now)
    const turns = values > COSTLY_VALUES ? new Turns() : null
    const result = await executed(planned, Object.assign(context, { plan, ...(turns ? { turns } : {}) }))
    const errors = [...(result.errors ?? []), ...refusedEdges(plan)]
    logFailures(errors, context.log)
    return await madeOf(planned, { ...result, errors }, turns)
  } catch (error) {
    if (error instanceof ApiError) return refusedRun(planned, [unplaced(error)], price)
    throw error
  } finally {
    leave()
  }
}

/** A large operation is run in turns, which compiled functions do not take. */
async function executed(planned: PlannedOperation, contextValue: GraphQLContext): Promise<ExecutionResult> {
  const { schema, document, parameters, plan } = planned
  const { operationName, variables: variableValues } = parameters
  const isCompilable =
    contextValue.principal.kind !== 'anonymous' && contextValue.turns === undefined && !plan.introspects
  const runCompiled = isCompilable ? planned.compiled.of(document) : null
  if (runCompiled !== null) return runCompiled(contextValue, variableValues ?? {})
  return execute({ schema, document, operationName, variableValues, contextValue })
}

async function madeOf(
  planned: PlannedOperation,
  result: ExecutionResult & { readonly errors: readonly GraphQLError[] },
  turns: Turns | null,
): Promise<Made> {
  const { plan, exchange, mediaType, upgradeUrl } = planned
  const { data } = result
  const refund = refundOf(plan, result, result.errors)
  const errors = oncePerEdge(result.errors)
  if (errors.length > 0 && !hasRun(result)) return refusedRun(planned, errors, refund)
  const json = await answerText(data, turns)
  const headers = contentType(mediaType)
  if (errors.length === 0) return { status: 200, headers, isComplete: true, json, body: null, refund }
  const body = (cost: Cost | null) => textOf(errorsText(errors, exchange, { upgradeUrl }), json, cost)
  return { status: 200, headers, isComplete: false, json: null, body, refund }
}

function textOf(errors: string, json: string | null, cost: Cost | null): string {
  const data = json === null ? '' : `,"data":${json}`
  const extensions = cost === null ? '' : `,"extensions":${costText(cost)}`
  return `{"errors":${errors}${data}${extensions}}`
}
