import type { GraphQLSchema, OperationDefinitionNode } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import { ApiError } from '../../../core/errors.js'
import type { Exchange, Reply } from '../../../platform/request/exchange.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import type { PreparedOperation, Transport } from '../../../platform/request/transport.js'
import { ANONYMOUS } from '../../../policy/principal.js'
import { DocumentError } from '../documents/document-error.js'
import { errorHeaders, toPublicError } from '../errors.js'
import type { GatewayYoga } from '../gateway-yoga.js'
import { needsOpenFieldsOnly } from '../plan/root-access.js'
import { type Accepted, contentType, negotiateMediaTypes, PLAIN_JSON } from './accept.js'
import { costText } from './cost-text.js'
import { errorsText, mostSevere, withoutPath } from './error-text.js'
import { createWriteEvents } from './event-writers.js'
import { isCacheableDocument } from './is-cacheable-document.js'
import { parseParameters } from './parameters.js'
import { preparedOperation } from './prepared-operation.js'
import { preparedSubscription } from './prepared-subscription.js'

export interface GraphQLTransportOptions {
  readonly schema: GraphQLSchema
  readonly yoga: GatewayYoga
  /** URL of the page that sells higher tiers. */
  readonly upgradeUrl: string | null
  /** Whether callers without a key may introspect. */
  readonly introspection: 'public' | 'private'
}

/** GraphQL over HTTP: parses requests, lets yoga plan and run their operations, and writes the responses. */
export function createGraphQLTransport(options: GraphQLTransportOptions): Transport {
  const { schema, yoga, upgradeUrl, introspection } = options
  const writeEvents = createWriteEvents(yoga)

  const prepare = async (exchange: Exchange, context: RequestContext): Promise<PreparedOperation> => {
    const accepted = negotiateMediaTypes(exchange.header('accept'))
    const params = parseParameters(exchange)
    if (accepted.json === null && !accepted.events) throw notAcceptable()
    const runnable = await yoga.plan({ params, exchange }, context, (operation) => {
      assertMethod(exchange, operation)
      assertMediaType(accepted, operation)
    })
    const mediaType = accepted.json ?? PLAIN_JSON
    const answerable = { runnable, upgradeUrl, mediaType, isLegacy: accepted.isLegacy, exchange }
    const { document, operation, plan } = runnable
    if (operation.operation === 'subscription') return preparedSubscription(answerable, writeEvents)
    return preparedOperation(answerable, plan.isCacheable && isCacheableDocument(document))
  }

  const isOpenOperation = async (exchange: Exchange): Promise<boolean> => {
    try {
      const params: GraphQLParams = parseParameters(exchange)
      const { document, operation } = await yoga.read({ params, exchange }, ANONYMOUS)
      return needsOpenFieldsOnly(schema, document, operation, introspection)
    } catch {
      return false // the response to an invalid request with wrong credentials is about the credentials
    }
  }

  const refuse = (error: unknown, exchange: Exchange): Reply => {
    const { json, isLegacy } = negotiateMediaTypes(exchange.header('accept'))
    const errors = error instanceof DocumentError ? error.errors : [withoutPath(toPublicError(error))]
    const worst = mostSevere(errors)
    if (worst.status === 500) exchange.log.error({ err: error }, 'request failed before its operation')
    return {
      status: error instanceof DocumentError && isLegacy ? 200 : worst.status,
      headers: [...contentType(json ?? PLAIN_JSON), ...errorHeaders(worst, exchange.now)],
      body: `{"errors":${errorsText(errors, exchange, options)}}`,
    }
  }

  return {
    name: 'graphql',
    identify: (exchange) => ({
      route: exchange.path,
      isOpen: false,
      needsOpenFieldsOnly: () => isOpenOperation(exchange),
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

/** Mutations are not allowed by GET, because links and caches may repeat a GET. */
function assertMethod({ method }: Exchange, { operation }: OperationDefinitionNode): void {
  if (method === 'POST' || operation !== 'mutation') return
  throw new ApiError('method_not_allowed', { message: 'Send a mutation by POST.', allow: ['POST'] })
}

function assertMediaType({ json, events }: Accepted, { operation }: OperationDefinitionNode): void {
  if (operation === 'subscription' && !events) {
    throw new ApiError('not_acceptable', {
      message: 'The response to a subscription is text/event-stream; accept this media type.',
    })
  }
  if (operation !== 'subscription' && json === null) throw notAcceptable()
}

function notAcceptable(): ApiError {
  return new ApiError('not_acceptable', {
    message:
      'Accept application/graphql-response+json or application/json for an operation, text/event-stream for a subscription.',
  })
}
