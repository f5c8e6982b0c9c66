import type { RequestListener } from 'node:http'
import { configuredDocuments } from './assembly/configured-documents.js'
import { newsletterMailLinks } from './assembly/configured-newsletter.js'
import { operatorDetails } from './assembly/operator-details.js'
import { createParts, type PartsDependencies } from './assembly/parts.js'
import { publicUrlOf } from './assembly/public-url.js'
import { createGraphQLTransport } from './graphql/transport/handler.js'
import { Answers } from './http/answers.js'
import type { TakeUpgrade } from './http/connection/upgrades.js'
import { showGauges } from './http/gauges.js'
import { health } from './http/health.js'
import { Admission } from './http/limits/admission.js'
import { Charging } from './http/limits/charging.js'
import { Meter } from './http/limits/meter.js'
import { TurnLimit } from './http/limits/turn-limit.js'
import { createLiveRequests } from './http/live-request.js'
import { mcpSite } from './http/mcp/mcp-site.js'
import { createListener, type Handle } from './http/node.js'
import { newsletterLinks } from './http/pages/newsletter-links.js'
import { pages, unknownPages } from './http/pages/pages.js'
import { publishedOperations as operationFiles } from './http/pages/published-operations.js'
import { wellKnown } from './http/pages/well-known.js'
import { GRAPHQL_PATH } from './http/paths.js'
import { createPipeline } from './http/pipeline.js'
import { OpenStreams } from './http/response/streams.js'
import { transportSecurity } from './http/response/transport-security.js'
import { tracedHandle } from './http/traced-handle.js'
import { SOCKET_TIMES } from './http/websocket/socket.js'
import { createSocketServer } from './http/websocket/socket-server.js'
import { BurstGuard } from './platform/counters/burst-guard.js'
import type { Counters } from './platform/counters/counters.js'
import { watchMigrations } from './platform/database/migrate.js'
import { urgent } from './platform/database/urgent.js'
import { publicKeySet } from './platform/secrets/signing.js'
import { VERSION } from './platform/version.js'
import { createRestTransport } from './rest/handler.js'
import { ANSWER_EXAMPLES } from './rest/openapi/answer-examples.js'
import { exampleOperations } from './rest/openapi/example-variables.js'
import { buildOpenApi } from './rest/openapi/openapi.js'
import { createRestRoutes } from './rest/routes/rest-routes.js'
import { graphSchema, restSchema } from './schema.js'

export interface AppDependencies extends PartsDependencies {
  /** Where the SQL migrations lie; readiness asks that none is pending. */
  readonly migrations: string
  /** Shown in the pages' key fields; never outside development. */
  readonly developmentKey: string | null
}

export interface App {
  readonly listener: RequestListener
  /** Takes the connections that become WebSockets. */
  readonly takeUpgrade: TakeUpgrade
  /** From now on not ready, and each reply ends its connection; what runs goes on. */
  drain(): void
  /** Writes what is pending; the database stays open. */
  close(): Promise<void>
}

/** Puts the gateway together; no side effect on import. */
export function createApp(deps: AppDependencies): App {
  const { config, database, clock, log } = deps
  const state = { isDraining: false }
  const isDraining = () => state.isDraining
  const parts = createParts(deps)
  const { access, versions, replicas, cache, ports, accessLog, originOf } = parts
  const burst = new BurstGuard(config.burstPerMinute)
  const meter = new Meter({ counters: parts.counters, usage: parts.usage, burst })
  const admission = new Admission()
  const streams = new OpenStreams()
  showGauges(deps.metrics, { admission, cache, counters: parts.counters, database, streams })
  const liveOf = createLiveRequests({ clock, versions, isDraining, authenticate: access.recognise })
  const graphql = createGraphQLTransport({
    ...config,
    schema: graphSchema,
    documents: configuredDocuments(config, graphSchema, parts.operations),
  })
  let openApiDocument: string | undefined
  const openApi = () => (openApiDocument ??= openApiText(deps))
  const pipeline = createPipeline({
    sites: [
      health({
        ready: readiness(deps, parts.counters),
        isDraining,
        version: VERSION,
        log,
        details: operatorDetails({ config, database, clock, access, burst }),
      }),
      pages({
        graphqlPath: GRAPHQL_PATH,
        openApi,
        sampleUrl: publicUrlOf(config),
        developmentKey: deps.developmentKey,
        isTrustedOnly: config.trustedDocuments !== null,
        version: VERSION,
      }),
      operationFiles(() => exampleOperations(restSchema, ANSWER_EXAMPLES)),
      wellKnown({ keySet: publicKeySet(config.signingKey ? [config.signingKey] : []) }),
    ],
    guardedSites: [
      newsletterLinks(newsletterMailLinks(database, parts.newsletter)),
      mcpSite({
        openApi,
        // A tool's question goes the way of every request.
        handle: (exchange, problem) => handle(exchange, problem),
        corsOrigins: config.corsOrigins,
        version: VERSION,
      }),
      unknownPages(),
    ],
    rest: createRestTransport({ routes: createRestRoutes(restSchema), upgradeUrl: config.upgradeUrl }),
    graphql,
    turns: new TurnLimit(),
    burst,
    authenticate: access.recognise,
    answers: new Answers({
      database,
      ports,
      versions,
      replicas,
      cache,
      charging: new Charging(meter),
      admission,
      liveOf,
    }),
    meter,
    accessLog,
    streams,
    corsOrigins: config.corsOrigins,
    transportSecurity: transportSecurity(config),
  })
  const handle: Handle = deps.tracing ? tracedHandle(pipeline, deps.tracing) : pipeline
  const sockets = createSocketServer({
    ...SOCKET_TIMES,
    ...{ handle, authenticate: access.recognise, clock, log, originOf, isDraining },
    corsOrigins: config.corsOrigins,
    framesPerMinute: config.burstPerMinute,
  })
  const drain = () => {
    state.isDraining = true
    sockets.drain()
  }
  return {
    listener: createListener(handle, { clock, log, originOf, isDraining }),
    takeUpgrade: sockets.take,
    drain,
    close: async () => {
      drain()
      await parts.close()
    },
  }
}

/** A counter that nobody takes from: looking at it needs what every charge needs. */
const PROBE = 'readiness'

/** What is asked of PostgreSQL does not wait behind requests: a node that is busy is ready all the same. */
function readiness({ database, migrations, clock }: AppDependencies, counters: Counters) {
  const pendingMigrations = watchMigrations(migrations)
  return {
    database: async () => {
      const now = clock.now()
      const probe = { key: PROBE, quota: 0, units: 0, windowEnd: now }
      await Promise.all([database.ping(), counters.peek([probe], now, { isUrgent: true })])
    },
    migrations: async () => {
      const pending = await pendingMigrations(urgent(database))
      if (pending.length > 0) throw new Error(`migrations are pending: ${pending.join(', ')}`)
    },
  }
}

function openApiText({ config }: AppDependencies): string {
  return JSON.stringify(
    buildOpenApi(restSchema, {
      version: VERSION,
      serverUrl: config.publicUrl ?? '/',
      sampleUrl: publicUrlOf(config),
      examples: ANSWER_EXAMPLES,
      environment: config.isDevelopment ? 'local development' : 'production',
    }),
  )
}
