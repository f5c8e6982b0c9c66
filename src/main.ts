import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createApp } from './app.js'
import { type Config, ConfigError, databaseTarget, loadConfig } from './config.js'
import { systemClock } from './core/time.js'
import { prepareDevelopment, welcomeText } from './development.js'
import { startHousekeeping } from './housekeeping.js'
import { createMetrics, createMetricsServer } from './http/metrics.js'
import { openDatabase } from './platform/database.js'
import { createLogger, type Logger } from './platform/logger.js'
import { migrate } from './platform/migrate.js'

const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url))

/** Longest a request in flight is waited for when the process is asked to stop. */
const DRAIN_MS = 10_000
/** How often connections that have become idle are looked for while draining. */
const IDLE_CHECK_MS = 50

async function start(config: Config, log: Logger): Promise<void> {
  const database = await openDatabase(databaseTarget(config), {
    onError: (error) => log.error({ err: error }, 'database connection broke'),
  })
  await migrate(database, MIGRATIONS)
  const keys = config.isDevelopment ? await prepareDevelopment(database, config, systemClock, log) : null
  const metrics = createMetrics()
  const app = createApp({
    config,
    database,
    clock: systemClock,
    log,
    metrics,
    migrations: MIGRATIONS,
    developmentKey: keys?.pro ?? null,
  })
  const server = createServer(
    { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 },
    app.listener,
  )
  const metricsServer = createMetricsServer(metrics)
  await Promise.all([
    listen(server, config.port, config.host),
    listen(metricsServer, config.metricsPort, config.metricsHost),
  ])
  const addresses = {
    url: urlOf(config.host, portOf(server)),
    metricsUrl: urlOf(config.metricsHost, portOf(metricsServer)),
  }
  log.info(
    { port: portOf(server), metrics_port: portOf(metricsServer), database: database.kind },
    'listening',
  )
  if (keys) process.stdout.write(welcomeText(addresses, config, keys))

  const housekeeping = startHousekeeping({ database, clock: systemClock, log })
  const stop = async (signal: string) => {
    log.info({ signal }, 'stopping')
    app.drain()
    const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
    await Promise.all([closed(server), closed(metricsServer)])
    clearTimeout(cut)
    await housekeeping.stop()
    await app.close()
    await database.close()
    log.info('stopped')
  }
  // npm passes a signal on that the process group got already: the second must not cut the first one's work short.
  let stopping: Promise<void> | null = null
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return
      stopping = stop(signal)
      stopping.then(
        () => process.exit(0),
        (error: unknown) => {
          log.fatal({ err: error }, 'could not stop cleanly')
          process.exit(1)
        },
      )
    })
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
}

/** The port it listens on, which the system chose where 0 was asked for. */
function portOf(server: Server): number {
  return (server.address() as AddressInfo).port // it listens on a TCP port
}

/** Where somebody on this machine reaches it. */
function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Resolves when the last request in flight is answered; connections are closed as they become idle. */
function closed(server: Server): Promise<void> {
  // A connection kept alive goes idle once its answer is out, and nobody would close it then.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(sweep)
      resolve()
    })
    server.closeIdleConnections()
  })
}

/** One line for a start that cannot go on; a stack only where the cause is not the operator's. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return `${error.message}: another process listens there; set PORT or METRICS_PORT.`
  }
  return error instanceof Error ? error.message : String(error)
}

try {
  const config = loadConfig(process.env)
  await start(config, createLogger(config.logLevel))
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exit(1)
}
