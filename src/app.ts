import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServerAdapter, type ServerAdapterPlugin } from '@whatwg-node/server'
import { createYoga } from 'graphql-yoga'
import { createParts, type PartsDependencies } from './app-parts.js'
import type { Config } from './config.js'
import { ApiError } from './core/errors.js'
import type { Clock } from './core/time.js'
import { useGraphQLAnswers } from './graphql/answers.js'
import { useCompiledOperations } from './graphql/compiled-operations.js'
import { createDirectGraphQL } from './graphql/direct.js'
import type { DoorPlugin } from './graphql/door-plugin.js'
import { useMasking } from './graphql/errors.js'
import { useAccessLog } from './http/access-log.js'
import { useAuthenticate, useOrigin } from './http/authenticate.js'
import { limitBody, MAX_BODY_BYTES } from './http/body-limit.js'
import { EXPOSED_HEADERS, useCors } from './http/cors.js'
import { Flights } from './http/flights.js'
import { useHealth } from './http/health.js'
import { useKeepAnswers } from './http/keep-answers.js'
import { serveKeptAnswers } from './http/kept-answers.js'
import { type LiveOptions, liveRequest } from './http/live-request.js'
import { Meter } from './http/meter.js'
import { operationLimits, useJsonOnly } from './http/operation-limits.js'
import { usePages } from './http/pages.js'
import { GRAPHQL_PATH, isRest, REST_PREFIXES } from './http/paths.js'
import { useBurstGuard, useMeter } from './http/rate-limit.js'
import { useRequestId } from './http/request-id.js'
import { useSteadyReads } from './http/steady-reads.js'
import { useStreams } from './http/streams.js'
import { listenerOf } from './http/unexpected.js'
import { useUnknownRoute } from './http/unknown-route.js'
import { useWellKnown } from './http/well-known.js'
import { AnswerLife } from './platform/answer-life.js'
import { BurstGuard } from './platform/burst-guard.js'
import type { DoorContext } from './platform/door-context.js'
import { pendingMigrations } from './platform/migrate.js'
import type { RequestContext } from './platform/request-context.js'
import { publicKeySet } from './platform/signing.js'
import { VERSION } from './platform/version.js'
import { createDirectRest } from './rest/direct.js'
import { errorBody, errorResponse } from './rest/error-body.js'
import { useRest } from './rest/handler.js'
import { buildOpenApi } from './rest/openapi.js'
import { createRefuse } from './rest/refuse.js'
import { createRestRoutes } from './rest/rest-routes.js'
import { graphSchema, restSchema } from './schema.js'

export interface AppDependencies extends PartsDependencies {
  /** Where the SQL migrations lie; readiness asks that none is pending. */
  readonly migrations: string
  /** Shown in the pages' key fields; never outside development. */
  readonly developmentKey: string | null
}

export interface App {
  /** For node:http: body limit, then both doors. */
  readonly listener: RequestListener
  /** The same without a socket. */
  readonly fetch: (request: Request) => Response | Promise<Response>
  /** From now on not ready; what runs goes on. */
  drain(): void
  /** Writes what is pending; the database stays open. */
  close(): Promise<void>
}

/** Puts the gateway together: explicit order of plugins, no side effect on import. */
export function createApp(deps: AppDependencies): App {
  const { config, database, clock, log } = deps
  const state = { isDraining: false }
  const parts = createParts(deps)
  const { access, counters, usage, versions, cache, accessLog, origin } = parts
  const burst = new BurstGuard(config.burstPerMinute)
  const meter = new Meter({ counters, usage, burst })
  const refuse = createRefuse(config.upgradeUrl, GRAPHQL_PATH)
  const live: LiveOptions = {
    clock,
    versions,
    isStopping: () => state.isDraining,
    authenticate: (credentials) => access.recognise(credentials),
  }

  const entrance: readonly DoorPlugin[] = [
    useOrigin(origin),
    useBurstGuard({ burst, by: 'address', refuse }),
    useAuthenticate({ authenticate: access.recognise, refuse }),
    useBurstGuard({ burst, by: 'key', refuse }),
  ]
  const arrival = [useRequestId({ clock, log }), useAccessLog({ accessLog })] as const
  const metering = useMeter({ meter, introspection: config.introspection })
  const flights = new Flights()
  const keeping = useKeepAnswers({ cache, flights })
  const restOptions = { routes: createRestRoutes(restSchema), errorBody: { upgradeUrl: config.upgradeUrl } }
  const rest = useRest({ ...restOptions, prefixes: REST_PREFIXES })
  const yoga = createYoga<
    DoorContext,
    Pick<RequestContext, 'database' | 'ports' | 'datasets' | 'idempotencyKey' | 'life' | 'live'>
  >({
    schema: graphSchema,
    graphqlEndpoint: GRAPHQL_PATH,
    plugins: [
      ...arrival,
      useHealth({
        ready: { database: () => database.ping(), migrations: () => noneIsPending(deps) },
        isDraining: () => state.isDraining,
        version: VERSION,
        log,
      }),
      usePages({
        graphqlPath: GRAPHQL_PATH,
        openApi: () => JSON.stringify(openApi(config)),
        developmentKey: deps.developmentKey,
        version: VERSION,
      }),
      useWellKnown({ keySet: publicKeySet(config.signingKey ? [config.signingKey] : []) }),
      ...entrance,
      useJsonOnly({ refuse }),
      ...operationLimits(),
      useStreams({ upgradeUrl: config.upgradeUrl }),
      metering,
      useCompiledOperations(),
      useSteadyReads({ versions, isKeeping: cache.isKeeping }),
      useMasking(),
      useGraphQLAnswers({ upgradeUrl: config.upgradeUrl }),
      keeping,
      rest,
      useUnknownRoute({ refuse }),
    ],
    context: async ({ request, principal }) => ({
      database,
      ports: parts.ports,
      datasets: await versions.current(),
      idempotencyKey: request.headers.get('idempotency-key'),
      life: new AnswerLife(),
      live: liveRequest(request, principal, live),
    }),
    cors: { origin: '*', credentials: false, exposedHeaders: [...EXPOSED_HEADERS], maxAge: 86_400 },
    // Bodies are counted in front, where REST needs it too; yoga's guard costs more than half of a small request.
    maxRequestBodySize: false,
    maskedErrors: false,
    graphiql: false,
    landingPage: false,
    logging: false,
    multipart: false,
    disposeOnProcessTerminate: false,
  })
  // REST executes within yoga's envelope, but its requests need none of yoga's parsing and negotiation of GraphQL.
  const restDoor = createServerAdapter<DoorContext>(unanswered, {
    plugins: [
      ...arrival,
      useCors(),
      ...entrance,
      metering,
      keeping,
      rest,
    ] as ServerAdapterPlugin<DoorContext>[], // yoga plugins, of which only the two request hooks run
  })
  const fetch = (request: Request, context: object) =>
    request.method !== 'OPTIONS' && isRest(new URL(request.url).pathname)
      ? restDoor.fetch(request, context as DoorContext) // filled by useRequestId
      : yoga.fetch(request, context as DoorContext)
  const doors = listenerOf(fetch, (error, request) => unexpected(deps, error, request))
  const kept = serveKeptAnswers(
    {
      cache,
      flights,
      versions,
      clock,
      log,
      accessLog,
      meter,
      burst,
      origin,
      recognise: access.recognise,
      direct: {
        rest: createDirectRest({ ...restOptions, getEnveloped: yoga.getEnveloped }),
        graphql: createDirectGraphQL({
          schema: graphSchema,
          upgradeUrl: config.upgradeUrl,
          getEnveloped: yoga.getEnveloped,
        }),
      },
    },
    doors,
  )
  return {
    listener: limitBody(kept, (request, response) => tooLarge(config, clock, request, response)),
    fetch: (request) => fetch(request, {}),
    drain: () => {
      state.isDraining = true
    },
    close: async () => {
      state.isDraining = true
      await yoga.dispose()
      await parts.close()
    },
  }
}

function openApi(config: Config) {
  return buildOpenApi(restSchema, { version: VERSION, serverUrl: config.publicUrl ?? '/' })
}

async function noneIsPending({ database, migrations }: AppDependencies): Promise<void> {
  const pending = await pendingMigrations(database, migrations)
  if (pending.length > 0) throw new Error(`migrations are pending: ${pending.join(', ')}`)
}

/** Answers beside yoga's plugins, so with an id of its own. */
function unexpected({ config, clock, log }: AppDependencies, error: ApiError, request: Request): Response {
  const requestId = crypto.randomUUID()
  if (error.status >= 500)
    log.error({ err: error, request_id: requestId }, 'request failed outside its operation')
  return errorResponse(error, { request, requestId, upgradeUrl: config.upgradeUrl, now: clock.now() })
}

/** Answers in front of yoga, so without its plugins. */
function tooLarge(config: Config, clock: Clock, request: IncomingMessage, response: ServerResponse): void {
  const error = new ApiError('payload_too_large', {
    message: `The body is larger than ${MAX_BODY_BYTES} bytes.`,
  })
  const requestId = String(request.headers['x-request-id'] ?? crypto.randomUUID()).slice(0, 64)
  const body = errorBody(error, { requestId, upgradeUrl: config.upgradeUrl, now: clock.now() })
  response
    .writeHead(error.status, { 'content-type': 'application/json; charset=utf-8' })
    .end(JSON.stringify(body))
}

/** The REST door answers everything below its prefixes; reaching this is a mistake of ours. */
function unanswered(): never {
  throw new Error('the REST door left a request without an answer')
}
