import type {
  DocumentNode,
  ExecutionArgs,
  ExecutionResult,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql'
import { createYoga, type GraphQLParams, type Plugin, type YogaInitialContext } from 'graphql-yoga'
import type { Exchange } from '../../platform/request/exchange.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { OperationPlan } from '../../schema-kit/operation-plan.js'
import { DocumentError } from './documents/document-error.js'
import { operationOf } from './documents/read-document.js'
import {
  type Events,
  type GatewayPlugin,
  type OperationContext,
  operationIn,
  planIn,
} from './operation-context.js'
import { operationRequest } from './run/operation-request.js'

/** A valid document and the requested operation in it. */
export interface ReadOperation {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
}

/** A planned operation that has not run yet. */
export interface RunnableOperation extends ReadOperation {
  readonly plan: OperationPlan
  /** Runs a query or mutation. Each call needs a new context and runs the operation again. */
  execute(context: RequestContext): Promise<OperationResult>
  /** Opens a subscription. Returns its events, or a result with the errors that prevent them. */
  subscribe(context: RequestContext): Promise<Events | ExecutionResult>
}

/** The result of an operation, with the budget and the refund that its run stored in the context. */
export interface OperationResult extends Pick<OperationContext, 'budget' | 'refund'> {
  readonly result: ExecutionResult
}

/** Throws if the method or media type of the request does not allow the operation. */
export type AssertOperation = (operation: OperationDefinitionNode) => void

/** Runs all operations: GraphQL over HTTP and WebSockets, and the documents of REST and MCP. */
export interface GatewayYoga {
  /** Finds, parses and validates the document. Throws DocumentError, or ApiError above the gateway's limits. */
  read(requested: RequestedOperation, principal: RequestContext['principal']): Promise<ReadOperation>
  /** Checks document, variables, access and price. Throws like `read`, or the ApiError that rejects the whole operation. */
  plan(
    requested: RequestedOperation,
    context: RequestContext,
    assertOperation: AssertOperation,
  ): Promise<RunnableOperation>
  /** Runs a document of the gateway without checks. The context must contain its plan. */
  execute(args: DocumentArgs): Promise<ExecutionResult>
  /** Writes events as server-sent events, with pings between them. */
  sendEvents(events: Events, signal: AbortSignal): Promise<Response>
}

export interface RequestedOperation {
  readonly params: GraphQLParams
  readonly exchange: Exchange
}

export type DocumentArgs = Pick<ExecutionArgs, 'schema' | 'document' | 'operationName' | 'variableValues'> & {
  readonly contextValue: OperationContext
}

/** yoga requires a URL and does not use it: the parameters come from the params handler. */
const ENDPOINT = 'http://localhost/graphql'

/** Tells the params handler which stage to run, and receives its result. */
interface StageContext extends OperationContext {
  stage: Stage
}

interface ReadStage {
  readonly kind: 'read'
  read?: ReadOperation
}

interface PlanStage {
  readonly kind: 'plan'
  readonly assertOperation: AssertOperation
  planned?: RunnableOperation
}

interface SendStage {
  readonly kind: 'send'
  readonly events: Events
}

type Stage = ReadStage | PlanStage | SendStage

/**
 * Creates the only yoga instance. Its plugins run in the order of the list. Plan and run are two calls, because the
 * gateway checks its cache and charges between them: yoga's params handler plans, and yoga's envelope runs.
 */
export function createGatewayYoga(schema: GraphQLSchema, plugins: readonly GatewayPlugin[]): GatewayYoga {
  const stages: Plugin<StageContext, StageContext> = {
    onParams: ({ setParamsHandler }) => setParamsHandler(takeParams),
    // Runs before yoga's own check of operationName, so that clients see the gateway's message.
    onParse:
      ({ context, extendContext }) =>
      ({ result }) => {
        if (result instanceof Error) return
        const operation = operationOf(result, context.params.operationName ?? null)
        extendContext({ operation })
        if (context.stage.kind === 'plan') context.stage.assertOperation(operation)
      },
  }
  const yoga = createYoga<StageContext>({
    schema,
    plugins: [...plugins, stages],
    parserAndValidationCache: false, // `useDocumentCache` replaces it, with a limit in bytes
    maskedErrors: false, // the transports mask errors, because they add the id of the request
    graphiql: false,
    landingPage: false,
    logging: false,
    multipart: false,
    cors: false,
    disposeOnProcessTerminate: false,
  })

  async function takeParams({ params, request, context }: AcceptedParams) {
    const { stage } = context
    if (stage.kind === 'send') return stage.events
    const enveloped = yoga.getEnveloped(Object.assign(context, { params, request }))
    const document: DocumentNode = enveloped.parse(params.query ?? '')
    const errors = enveloped.validate(enveloped.schema, document)
    if (errors.length > 0) throw new DocumentError(errors)
    const { operation } = operationIn(Object.assign(context, { document }))
    if (stage.kind === 'read') stage.read = { document, operation }
    else {
      await enveloped.contextFactory()
      stage.planned = runnable(context)
    }
    return {} // yoga requires a result; the operation has not run
  }

  function runnable(planned: OperationContext & YogaInitialContext): RunnableOperation {
    const { params, request } = planned
    const { document, operation } = operationIn(planned)
    const plan = planIn(planned)
    const argsFor = (context: RequestContext) => {
      const contextValue = Object.assign(context, { params, request, document, operation, plan })
      const { operationName, variables: variableValues } = params
      return { schema, document, operationName, variableValues, contextValue }
    }
    return {
      document,
      operation,
      plan,
      execute: async (context) => {
        const args = argsFor(context)
        const result = await execute(args)
        const { budget, refund } = args.contextValue as OperationContext
        return { result, ...(budget ? { budget } : {}), refund: refund ?? null }
      },
      subscribe: async (context) => {
        const args = argsFor(context)
        return yoga.getEnveloped(args.contextValue as StageContext & YogaInitialContext).subscribe(args)
      },
    }
  }

  // yoga types the result as a possible stream; no executor of the plugins returns one.
  const execute = async (args: DocumentArgs) =>
    (await yoga
      .getEnveloped(args.contextValue as StageContext & YogaInitialContext)
      .execute(args)) as ExecutionResult

  const stageOf = async <RequestedStage extends Stage>(
    { params, exchange }: RequestedOperation,
    context: ReadContext,
    stage: RequestedStage,
  ): Promise<RequestedStage> => {
    const request = operationRequest(exchange)
    const staged: { readonly stage: Stage } = Object.assign(context, { stage })
    await yoga.getResultForParams({ params, request }, staged as StageContext)
    return stage
  }

  return {
    read: async (requested, principal) => {
      const { clientAddress, now } = requested.exchange
      const { read } = await stageOf<ReadStage>(
        requested,
        { principal, clientAddress, now },
        { kind: 'read' },
      )
      if (read === undefined) throw new Error('a plugin responded before the document was read')
      return read
    },
    plan: async (requested, context, assertOperation) => {
      const { planned } = await stageOf<PlanStage>(requested, context, { kind: 'plan', assertOperation })
      if (planned === undefined) throw new Error('a plugin responded before the operation was planned')
      return planned
    },
    execute,
    sendEvents: async (events, signal) =>
      yoga.fetch(ENDPOINT, { method: 'POST', headers: EVENT_HEADERS, body: EVENT_BODY, signal }, {
        stage: { kind: 'send', events },
      } as StageContext),
  }
}

/** What plugins that read documents need. */
type ReadContext = Pick<RequestContext, 'principal' | 'clientAddress' | 'now'>

const EVENT_HEADERS = { accept: 'text/event-stream', 'content-type': 'application/json' }
const EVENT_BODY = JSON.stringify({ query: 'subscription' })

interface AcceptedParams {
  readonly params: GraphQLParams
  readonly request: Request
  readonly context: StageContext & YogaInitialContext
}
