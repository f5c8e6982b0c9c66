import type { RequestListener } from 'node:http'
import { configuredDocuments } from './assembly/configured-documents.js'
import { configuredSites } from './assembly/configured-sites.js'
import { createParts, type PartsDependencies } from './assembly/parts.js'
import { createGraphQLTransport } from './graphql/transport/handler.js'
import { Answers } from './http/answers.js'
import type { TakeUpgrade } from './http/connection/upgrades.js'
import { Admission } from './http/limits/admission.js'
import { Charging } from './http/limits/charging.js'
import { Meter } from './http/limits/meter.js'
import { TurnLimit } from './http/limits/turn-limit.js'
import { createLiveRequests } from './http/live-request.js'
import { createListener, type Handle } from './http/node.js'
import { createPipeline } from './http/pipeline.js'
import { OpenStreams } from './http/response/open-streams.js'
import { transportSecurity } from './http/response/transport-security.js'
import { showGauges } from './http/telemetry/gauges.js'
import { tracedHandle } from './http/telemetry/traced-handle.js'
import { SOCKET_TIMES } from './http/websocket/socket.js'
import { createSocketServer } from './http/websocket/socket-server.js'
import { BurstGuard } from './platform/counters/burst-guard.js'
import { createRestTransport } from './rest/handler.js'
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
  const { access, versions, cache, counters, usage, accessLog, originOf } = parts
  const burst = new BurstGuard(config.burstPerMinute)
  const meter = new Meter({ counters, usage, burst })
  const admission = new Admission()
  const streams = new OpenStreams()
  showGauges(deps.metrics, { admission, cache, counters, database, streams })
  const liveOf = createLiveRequests({ clock, versions, isDraining, authenticate: access.recognise })
  const graphql = createGraphQLTransport({
    ...config,
    schema: graphSchema,
    documents: configuredDocuments(config, graphSchema, parts.operations),
  })
  const pipeline = createPipeline({
    ...configuredSites({
      ...{ ...deps, ...parts, burst, isDraining },
      // A tool call is handled as every other request.
      handle: (exchange, problem) => handle(exchange, problem),
    }),
    rest: createRestTransport({ routes: createRestRoutes(restSchema), upgradeUrl: config.upgradeUrl }),
    graphql,
    turns: new TurnLimit(),
    burst,
    authenticate: access.recognise,
    answers: new Answers({ ...parts, database, charging: new Charging(meter), admission, liveOf }),
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
