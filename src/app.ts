import type { RequestListener } from 'node:http'
import { getPublicUrl } from './config/public-url.js'
import { configuredCompat } from './gateway/compat/wiring.js'
import type { ForeignPlugin } from './gateway/graphql/operation-context.js'
import { createGraphQLTransport } from './gateway/graphql/transport/handler.js'
import { configuredYoga } from './gateway/graphql/wiring.js'
import { Answers } from './gateway/http/answers.js'
import { UnsentBytes } from './gateway/http/connection/unsent-bytes.js'
import type { Upgrades } from './gateway/http/connection/upgrades.js'
import { withDemoKey } from './gateway/http/identity/demo-callers.js'
import { configuredOwnHosts } from './gateway/http/identity/own-hosts.js'
import { Admission } from './gateway/http/limits/admission.js'
import { Charging } from './gateway/http/limits/charging.js'
import { CostlyOperations } from './gateway/http/limits/costly-operations.js'
import { Meter } from './gateway/http/limits/meter.js'
import { RequestQueue } from './gateway/http/limits/request-queue.js'
import { createLiveRequests } from './gateway/http/live-request.js'
import { createListener, type Handle } from './gateway/http/node.js'
import { createPipeline } from './gateway/http/pipeline.js'
import { createRerun } from './gateway/http/rerun.js'
import { OpenStreams } from './gateway/http/response/open-streams.js'
import { createReceipts } from './gateway/http/response/receipts.js'
import { transportSecurity } from './gateway/http/response/transport-security.js'
import { registerGauges } from './gateway/http/telemetry/gauges.js'
import { tracedHandle } from './gateway/http/telemetry/traced-handle.js'
import { toolsOf } from './gateway/mcp/tools.js'
import { createRestTransport } from './gateway/rest/handler.js'
import { publishedTexts } from './gateway/rest/routes/published-operation.js'
import { createRestRoutes } from './gateway/rest/routes/rest-routes.js'
import { configuredOpenApi } from './gateway/rest/wiring.js'
import { SOCKET_TIMES } from './gateway/websocket/socket.js'
import { createSocketServer } from './gateway/websocket/socket-server.js'
import { configuredSites } from './gateway/wiring.js'
import { BurstGuard } from './platform/quota/burst-guard.js'
import { graphSchema, restSchema } from './schema.js'
import { createParts, type PartsDependencies } from './wiring.js'

export interface AppDependencies extends PartsDependencies {
  /** Directory of the SQL migrations. The gateway is not ready while one is pending. */
  readonly migrations: string
  /** Further plugins of graphql-yoga, which run after the gateway's own. */
  readonly plugins?: readonly ForeignPlugin[]
  /** The key that the pages use: the demo key or a development key. Null without either. */
  readonly pageKey: string | null
}

export interface App {
  readonly listener: RequestListener
  /** Takes over connections that become WebSockets. */
  readonly upgrades: Upgrades
  /** Makes the gateway not ready, and each reply close its connection. Running requests continue. */
  drain(): void
  /** Writes pending usage and documents. The database stays open. */
  close(): Promise<void>
}

/** Creates one gateway. Importing this module has no side effects. */
export function createApp(deps: AppDependencies): App {
  const { config, database, clock, log } = deps
  const state = { isDraining: false }
  const isDraining = () => state.isDraining
  // The function breaks a cycle: a request of a receipt runs as any other, and its check is one of the services.
  const parts = createParts(
    deps,
    createRerun(() => ({ rest, graphql })),
  )
  const { access, versions, cache, counters, usage, accessLog, hashAddress } = parts
  const burst = new BurstGuard(config.burstPerMinute)
  const meter = new Meter({ counters, usage, burst })
  const admission = new Admission()
  const streams = new OpenStreams()
  const unsent = new UnsentBytes()
  registerGauges(deps.metrics, { admission, cache, counters, database, streams, unsent })
  const authenticate = withDemoKey(access.recognise, config.demoKey)
  const liveOf = createLiveRequests({ clock, versions, isDraining, authenticate, admission, meter })
  const costly = new CostlyOperations()
  const yoga = configuredYoga(
    config,
    { ...parts, costly, publishedTexts: () => publishedTexts(restSchema) },
    deps.plugins,
  )
  const graphql = createGraphQLTransport({ ...config, schema: graphSchema, yoga })
  const rest = createRestTransport({ ...config, routes: createRestRoutes(restSchema), yoga })
  const openApi = configuredOpenApi(config)
  const operations = toolsOf(openApi.full)
  const pipeline = createPipeline({
    ...configuredSites({
      ...{ ...deps, ...parts, burst, isDraining, openApi, operations },
      // The function breaks a cycle: tool calls use the same handler, which needs the sites.
      handle: (exchange, problem) => handle(exchange, problem),
    }),
    ...{ rest, graphql },
    compat: configuredCompat(config, { rest, operations }),
    requestQueue: new RequestQueue(),
    admission,
    burst,
    authenticate,
    answers: new Answers({ ...parts, database, charging: new Charging(meter), costly, admission, liveOf }),
    meter,
    accessLog,
    streams,
    receipts: createReceipts(config.signingKey, getPublicUrl(config)),
    corsOrigins: config.corsOrigins,
    ownHosts: configuredOwnHosts(config),
    transportSecurity: transportSecurity(config),
  })
  const handle: Handle = deps.tracing ? tracedHandle(pipeline, deps.tracing) : pipeline
  const sockets = createSocketServer({
    ...SOCKET_TIMES,
    ...{ handle, authenticate, clock, log, hashAddress, isDraining, unsent },
    corsOrigins: config.corsOrigins,
    framesPerMinute: config.burstPerMinute,
  })
  const drain = () => {
    state.isDraining = true
    sockets.drain()
  }
  return {
    listener: createListener(handle, { clock, log, hashAddress, isDraining, unsent }),
    upgrades: sockets.upgrades,
    drain,
    close: async () => {
      drain()
      await parts.close()
    },
  }
}
