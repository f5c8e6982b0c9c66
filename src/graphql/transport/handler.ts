import type { GraphQLSchema, OperationDefinitionNode } from 'graphql'
import { ApiError } from '../../core/errors.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { Prepared, Transport } from '../../platform/request/transport.js'
import { ANONYMOUS } from '../../policy/principal.js'
import { refuseLargeOperation } from '../budget.js'
import { DocumentError } from '../documents/document-error.js'
import type { DocumentSource } from '../documents/document-source.js'
import { operationOf } from '../documents/read-document.js'
import { checkVariables } from '../documents/variables.js'
import { errorHeaders, publicErrorOf } from '../errors.js'
import { type OperationPlan, planOperation } from '../plan.js'
import { asksOpenOnly, refuseWithoutAccess } from '../root-access.js'
import { CompiledOperations } from '../run/compiled-operations.js'
import { CostlyOperations } from '../run/costly-operations.js'
import { type Accepted, acceptedOf, contentType, PLAIN_JSON } from './accept.js'
import { costText } from './cost-text.js'
import { errorsText, gravestOf, unplaced } from './error-text.js'
import { createWriteEvents } from './event-writers.js'
import { type OperationParameters, readParameters } from './parameters.js'
import { type PlannedOperation, preparedOperation } from './prepared-operation.js'
import { preparedSubscription } from './prepared-subscription.js'
import { createStreams } from './streams.js'

export interface GraphQLTransportOptions {
  readonly schema: GraphQLSchema
  readonly documents: DocumentSource
  /** Where a higher tier can be had. */
  readonly upgradeUrl: string
  /** Whether callers without a key may ask for the schema. */
  readonly introspection: 'public' | 'private'
}

/** GraphQL over HTTP: reads and refuses requests, plans operations, runs them, and writes their answers. */
export function createGraphQLTransport(options: GraphQLTransportOptions): Transport {
  const { schema, documents, upgradeUrl } = options
  const costly = new CostlyOperations()
  const compiled = new CompiledOperations(schema)
  const streams = createStreams(upgradeUrl)
  const writeEvents = createWriteEvents(schema)

  const prepare = async (exchange: Exchange, context: RequestContext): Promise<Prepared> => {
    const accepted = acceptedOf(exchange.header('accept'))
    const parameters = readParameters(exchange)
    if (accepted.json === null && !accepted.events) throw notAcceptable()
    const { document, hidesServedMembers } = await documents(parameters, context.principal)
    const operation = operationOf(document, parameters.operationName)
    refuseByMethod(exchange, operation)
    refuseByMediaType(accepted, operation)
    try {
      checkVariables(schema, operation, parameters.variables)
    } catch (error) {
      refuseWithoutAccess(schema, document, operation, context.principal)
      throw error
    }
    const plan = await planOf(document, parameters, context)
    refuseIntrospection(plan, context)
    refuseLargeOperation(plan.values ?? 0)
    const mediaType = accepted.json ?? PLAIN_JSON
    const planned: PlannedOperation = {
      schema,
      upgradeUrl,
      document,
      operation,
      parameters,
      plan,
      mediaType,
      exchange,
      costly,
      compiled,
    }
    if (operation.operation === 'subscription') {
      streams.refuseMore(context.principal)
      return preparedSubscription(planned, streams, writeEvents)
    }
    return preparedOperation(planned, plan.isKeepable && !hidesServedMembers)
  }

  const planOf = async (
    document: Parameters<typeof planOperation>[1],
    { operationName, variables }: OperationParameters,
    context: RequestContext,
  ): Promise<OperationPlan> => {
    const plan = await planOperation(schema, document, operationName, variables, context)
    if (plan !== null) return plan
    throw new ApiError('bad_request', { message: 'The variables do not fit the operation.' })
  }

  const refuseIntrospection = (plan: OperationPlan, { principal }: RequestContext): void => {
    if (plan.introspects && principal.kind === 'anonymous' && options.introspection === 'private')
      throw new ApiError('unauthorized')
  }

  const isOpenOperation = async (exchange: Exchange): Promise<boolean> => {
    try {
      const parameters = readParameters(exchange)
      const { document } = await documents(parameters, ANONYMOUS)
      const operation = operationOf(document, parameters.operationName)
      return asksOpenOnly(schema, document, operation, options.introspection)
    } catch {
      return false // what is no operation is nobody's: the refusal of the credentials is the answer
    }
  }

  const refuse = (error: unknown, exchange: Exchange): Reply => {
    const { json, isLegacy } = acceptedOf(exchange.header('accept'))
    const errors = error instanceof DocumentError ? error.errors : [unplaced(publicErrorOf(error))]
    const gravest = gravestOf(errors)
    if (gravest.status === 500) exchange.log.error({ err: error }, 'request failed before its operation')
    return {
      status: error instanceof DocumentError && isLegacy ? 200 : gravest.status,
      headers: [...contentType(json ?? PLAIN_JSON), ...errorHeaders(gravest, exchange.now)],
      body: `{"errors":${errorsText(errors, exchange, options)}}`,
    }
  }

  return {
    name: 'graphql',
    identify: (exchange) => ({
      route: exchange.path,
      isOpen: false,
      asksOpenOnly: () => isOpenOperation(exchange),
      headers: [],
      prepare: (context) => prepare(exchange, context),
    }),
    frame: (cost) => ({
      head: '{"data":',
      tail: cost === null ? '}' : `,"extensions":${costText(cost)}}`,
    }),
    refuse,
  }
}

/** What changes something is no GET: links and caches send those again. */
function refuseByMethod({ method }: Exchange, { operation }: OperationDefinitionNode): void {
  if (method === 'POST' || operation !== 'mutation') return
  throw new ApiError('method_not_allowed', { message: 'A mutation is sent by POST.', allow: ['POST'] })
}

function refuseByMediaType({ json, events }: Accepted, { operation }: OperationDefinitionNode): void {
  if (operation === 'subscription' && !events) {
    throw new ApiError('not_acceptable', { message: 'A subscription is answered as text/event-stream.' })
  }
  if (operation !== 'subscription' && json === null) throw notAcceptable()
}

function notAcceptable(): ApiError {
  return new ApiError('not_acceptable', {
    message:
      'An operation is answered as application/graphql-response+json or application/json, a subscription as text/event-stream.',
  })
}
