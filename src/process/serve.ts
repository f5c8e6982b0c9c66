import type { Registry } from 'prom-client'
import { createApp } from '../app.js'
import type { Config } from '../config.js'
import { systemClock } from '../core/time.js'
import { createServer } from '../gateway/http/connection/create-server.js'
import type { Database } from '../platform/database/database.js'
import { MIGRATIONS } from '../platform/database/wiring.js'
import type { Logger } from '../platform/logger.js'
import type { Tracing } from '../platform/telemetry/tracing.js'
import { traced } from '../platform/telemetry/wiring.js'
import { closeServer, DRAIN_MS, listen } from './listen.js'

export interface ServeOptions {
  readonly config: Config
  readonly database: Database
  readonly log: Logger
  readonly metrics: Registry
  /** The key that the pages use: the demo key or a development key. Null without either. */
  readonly pageKey: string | null
  /** Null without tracing. */
  readonly tracing: Tracing | null
}

export interface Serving {
  readonly port: number
  /** Accepts no new requests, answers running ones within DRAIN_MS and aborts the rest. The database stays open. */
  stop(): Promise<void>
}

/** Serves REST and GraphQL on `config.port`. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { config } = options
  const deps = { ...traced(options, options.tracing), clock: systemClock, migrations: MIGRATIONS }
  const app = createApp(deps)
  const server = createServer(app.listener, { upgrades: app.upgrades, isBehindProxy: config.trustProxy })
  const port = await listen(server, config.port, config.host)
  return {
    port,
    stop: async () => {
      app.drain()
      const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
      await closeServer(server)
      clearTimeout(cut)
      await app.close()
    },
  }
}
