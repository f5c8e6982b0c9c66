import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createYoga } from 'graphql-yoga'
import type { Registry } from 'prom-client'
import type { Config } from './config.js'
import { ApiError } from './core/errors.js'
import type { Clock } from './core/time.js'
import { accessPort, countersPort, throttlePort } from './domains/access/model.js'
import { createAccess } from './domains/access/service.js'
import { upgradeUrlPort } from './domains/analysis/model.js'
import { identifierService } from './domains/instruments/model.js'
import { usagePort } from './domains/usage/model.js'
import type { DoorPlugin } from './graphql/door-plugin.js'
import { useGraphQLAnswers, useMasking } from './graphql/errors.js'
import { useAccessLog } from './http/access-log.js'
import { useAuthenticate, useOrigin } from './http/authenticate.js'
import { limitBody, MAX_BODY_BYTES } from './http/body-limit.js'
import { useHealth } from './http/health.js'
import { type LiveOptions, liveRequest } from './http/live-request.js'
import { operationLimits, useJsonOnly } from './http/operation-limits.js'
import { usePages } from './http/pages.js'
import { GRAPHQL_PATH, REST_PREFIXES } from './http/paths.js'
import { useBurstGuard, useMeter } from './http/rate-limit.js'
import { useRequestId } from './http/request-id.js'
import { useStreams } from './http/streams.js'
import { listenerOf } from './http/unexpected.js'
import { useUnknownRoute } from './http/unknown-route.js'
import { useWellKnown } from './http/well-known.js'
import { createIdentifierService } from './ingest/ask-provider.js'
import { BurstGuard } from './platform/burst-guard.js'
import { createCounters } from './platform/create-counters.js'
import { DataVersions } from './platform/data-version.js'
import type { Database } from './platform/database.js'
import type { DoorContext } from './platform/door-context.js'
import { createHttpClient } from './platform/http-client.js'
import type { Logger } from './platform/logger.js'
import { pendingMigrations } from './platform/migrate.js'
import { bindPorts } from './platform/ports.js'
import type { RequestContext } from './platform/request-context.js'
import { publicKeySet } from './platform/signing.js'
import { createThrottle } from './platform/throttle.js'
import { createUsageRecorder } from './platform/usage.js'
import { VERSION } from './platform/version.js'
import { errorBody, errorResponse } from './rest/error-body.js'
import { useRest } from './rest/handler.js'
import { buildOpenApi } from './rest/openapi.js'
import { createRefuse } from './rest/refuse.js'
import { graphSchema, restSchema } from './schema.js'

export interface AppDependencies {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Registry
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

/** Headers a browser may read, so that limits are visible there too. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'Retry-After',
  'Link',
  'ETag',
  'Content-Disposition',
  'X-Data-Source',
  'X-Is-Dev-Dataset',
  'X-Data-Freshness',
  'X-Last-Updated',
]

/** Puts the gateway together: explicit order of plugins, no side effect on import. */
export function createApp(deps: AppDependencies): App {
  const { config, database, clock, log } = deps
  const state = { isDraining: false }
  const counters = createCounters({ database, redisUrl: config.redisUrl, clock, log })
  const throttle = createThrottle({ database, redisUrl: config.redisUrl, log })
  const usage = createUsageRecorder(database, log)
  const access = createAccess({
    database,
    clock,
    log,
    pepper: config.keyPepper,
    tokenKeys: config.jwtKeys,
    mode: config.isDevelopment ? 'test' : 'live',
  })
  const versions = new DataVersions(database, clock)
  const ports = bindPorts([
    { port: accessPort, implementation: access },
    { port: throttlePort, implementation: throttle },
    { port: countersPort, implementation: counters },
    { port: usagePort, implementation: usage },
    { port: upgradeUrlPort, implementation: config.upgradeUrl },
    { port: identifierService, implementation: identifiers(deps) },
  ])
  const live: LiveOptions = {
    clock,
    versions,
    isStopping: () => state.isDraining,
    authenticate: (credentials) => access.authenticate(credentials),
  }
  const refuse = createRefuse(config.upgradeUrl, GRAPHQL_PATH)
  const burst = new BurstGuard()

  const plugins: DoorPlugin[] = [
    useRequestId({ clock, log }),
    useAccessLog({ metrics: deps.metrics }),
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
    useOrigin({ pepper: config.keyPepper, trustProxy: config.trustProxy }),
    useBurstGuard({ burst, by: 'address', refuse }),
    useAuthenticate({ authenticate: (credentials) => access.authenticate(credentials), refuse }),
    useBurstGuard({ burst, by: 'key', refuse }),
    useJsonOnly({ refuse }),
    ...operationLimits(),
    useStreams({ upgradeUrl: config.upgradeUrl }),
    useMeter({ counters, usage, introspection: config.introspection }),
    useMasking(),
    useGraphQLAnswers({ upgradeUrl: config.upgradeUrl }),
    useRest({ schema: restSchema, prefixes: REST_PREFIXES, errorBody: { upgradeUrl: config.upgradeUrl } }),
    useUnknownRoute({ refuse }),
  ]
  const yoga = createYoga<
    DoorContext,
    Pick<RequestContext, 'database' | 'ports' | 'datasets' | 'idempotencyKey' | 'live'>
  >({
    schema: graphSchema,
    graphqlEndpoint: GRAPHQL_PATH,
    plugins,
    context: async ({ request, principal }) => ({
      database,
      ports,
      datasets: await versions.current(),
      idempotencyKey: request.headers.get('idempotency-key'),
      live: liveRequest(request, principal, live),
    }),
    cors: { origin: '*', credentials: false, exposedHeaders: EXPOSED_HEADERS, maxAge: 86_400 },
    // Bodies are counted in front, where REST needs it too; yoga's guard costs more than half of a small request.
    maxRequestBodySize: false,
    maskedErrors: false,
    graphiql: false,
    landingPage: false,
    logging: false,
    multipart: false,
    disposeOnProcessTerminate: false,
  })
  return {
    listener: limitBody(
      listenerOf(
        (request, context) => yoga.fetch(request, context as DoorContext), // filled by useRequestId
        (error, request) => unexpected(deps, error, request),
      ),
      (request, response) => tooLarge(config, clock, request, response),
    ),
    fetch: (request) => yoga.fetch(request),
    drain: () => {
      state.isDraining = true
    },
    close: async () => {
      state.isDraining = true
      await yoga.dispose()
      await Promise.all([counters.close(), throttle.close(), usage.close(), access.close()])
    },
  }
}

function identifiers({ config, log }: AppDependencies) {
  const http = createHttpClient({ log, userAgent: `market-data-gateway/${VERSION}` })
  return createIdentifierService({ http, url: config.openFigi.url, apiKey: config.openFigi.apiKey })
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
