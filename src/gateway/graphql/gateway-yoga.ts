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

/** A valid document and the operation of it that is asked for. */
export interface ReadOperation {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
}

/** An operation that may run: nothing of it has run yet. */
export interface RunnableOperation extends ReadOperation {
  readonly plan: OperationPlan
  /** Runs a query or mutation; called again with another context, it runs again. */
  execute(context: RequestContext): Promise<OperationResult>
  /** Opens a subscription: its events, or the result of one that could not be opened. */
  subscribe(context: RequestContext): Promise<Events | ExecutionResult>
}

/** The result of an operation, and what its run left in the context. */
export interface OperationResult extends Pick<OperationContext, 'budget' | 'refund'> {
  readonly result: ExecutionResult
}

/** Throws for an operation that may not come the way it came. */
export type RefuseOperation = (operation: OperationDefinitionNode) => void

/** Runs every operation: those of GraphQL over HTTP and WebSockets, and the documents of REST, which MCP asks too. */
export interface GatewayYoga {
  /** Finds the document and checks it. Throws DocumentError, and ApiError for our limits. */
  read(asked: RequestedOperation, principal: RequestContext['principal']): Promise<ReadOperation>
  /** Checks document, variables, access and price. Throws as `read`, and the ApiError of what is refused as a whole. */
  plan(
    asked: RequestedOperation,
    context: RequestContext,
    refuse: RefuseOperation,
  ): Promise<RunnableOperation>
  /** Runs a document that needs no check; its plan is in the context. */
  execute(args: DocumentArgs): Promise<ExecutionResult>
  /** Writes the events of a subscription that is open: server-sent events, with pings while there are none. */
  sendEvents(events: Events, signal: AbortSignal): Promise<Response>
}

export interface RequestedOperation {
  readonly params: GraphQLParams
  readonly exchange: Exchange
}

export type DocumentArgs = Pick<ExecutionArgs, 'schema' | 'document' | 'operationName' | 'variableValues'> & {
  readonly contextValue: OperationContext
}

/** Any URL will do: what is asked has been read from the request. */
const ENDPOINT = 'http://localhost/graphql'

/** What a stage of an operation asks of the params handler, and what it has made. */
interface StageContext extends OperationContext {
  stage: Stage
}

interface ReadStage {
  readonly kind: 'read'
  read?: ReadOperation
}

interface PlanStage {
  readonly kind: 'plan'
  readonly refuse: RefuseOperation
  planned?: RunnableOperation
}

interface SendStage {
  readonly kind: 'send'
  readonly events: Events
}

type Stage = ReadStage | PlanStage | SendStage

/**
 * The one yoga instance. Its plugins run in the order of the list. The gateway looks into its cache and charges between
 * the plan and the run, so these are two calls: the plan is made on yoga's way from the parameters to the context, and
 * the run is that of its envelope.
 */
export function createGatewayYoga(schema: GraphQLSchema, plugins: readonly GatewayPlugin[]): GatewayYoga {
  const stages: Plugin<StageContext, StageContext> = {
    onParams: ({ setParamsHandler }) => setParamsHandler(takeParams),
    // Before yoga's own check of the same, which has other words.
    onParse:
      ({ context, extendContext }) =>
      ({ result }) => {
        if (result instanceof Error) return
        const operation = operationOf(result, context.params.operationName ?? null)
        extendContext({ operation })
        if (context.stage.kind === 'plan') context.stage.refuse(operation)
      },
  }
  const yoga = createYoga<StageContext>({
    schema,
    plugins: [...plugins, stages],
    parserAndValidationCache: false, // ours is bounded by bytes
    maskedErrors: false, // errors become public where they are written, with the id of their request
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
    return {} // nothing has run
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

  // It gives what the executors of the plugins give, and none of them streams.
  const execute = async (args: DocumentArgs) =>
    (await yoga
      .getEnveloped(args.contextValue as StageContext & YogaInitialContext)
      .execute(args)) as ExecutionResult

  const stageOf = async <RequestedStage extends Stage>(
    { params, exchange }: RequestedOperation,
    context: Pick<RequestContext, 'principal'>,
    stage: RequestedStage,
  ): Promise<RequestedStage> => {
    const request = operationRequest(exchange)
    const staged: { readonly stage: Stage } = Object.assign(context, { stage })
    await yoga.getResultForParams({ params, request }, staged as StageContext)
    return stage
  }

  return {
    read: async (asked, principal) => {
      const { read } = await stageOf<ReadStage>(asked, { principal }, { kind: 'read' })
      if (read === undefined) throw new Error('a plugin answered in place of the document')
      return read
    },
    plan: async (asked, context, refuse) => {
      const { planned } = await stageOf<PlanStage>(asked, context, { kind: 'plan', refuse })
      if (planned === undefined) throw new Error('a plugin answered in place of the operation')
      return planned
    },
    execute,
    sendEvents: async (events, signal) =>
      yoga.fetch(ENDPOINT, { method: 'POST', headers: EVENT_HEADERS, body: EVENT_BODY, signal }, {
        stage: { kind: 'send', events },
      } as StageContext),
  }
}

const EVENT_HEADERS = { accept: 'text/event-stream', 'content-type': 'application/json' }
const EVENT_BODY = JSON.stringify({ query: 'subscription' })

interface AcceptedParams {
  readonly params: GraphQLParams
  readonly request: Request
  readonly context: StageContext & YogaInitialContext
}
