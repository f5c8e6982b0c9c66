import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createApp } from '../../../src/app.js'
import { databaseTarget, loadConfig } from '../../../src/config.js'
import { systemClock } from '../../../src/core/time.js'
import { createMetrics } from '../../../src/gateway/http/telemetry/metrics.js'
import { openDatabase } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'

// One gateway of several on the same stores, by the system's clock: prints the port it listens on.

const env = JSON.parse(process.argv[2] ?? '') as Record<string, string> // written by the test
const config = loadConfig({ NODE_ENV: 'test', PROVIDER_URL_OPENFIGI: 'http://127.0.0.1:9', ...env })
const database = await openDatabase(databaseTarget(config))
const app = createApp({
  config,
  database,
  clock: systemClock,
  log: createLogger('silent'),
  metrics: createMetrics(),
  migrations: fileURLToPath(new URL('../../../prisma/migrations', import.meta.url)),
  pageKey: null,
})
const server = createServer(app.listener)
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`) // it listens on a TCP port
})

process.on('SIGTERM', () => {
  server.closeAllConnections()
  server.close(async () => {
    await app.close()
    await database.close()
    process.exit(0)
  })
})
