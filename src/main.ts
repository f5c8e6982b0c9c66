import cluster from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { type Config, ConfigError, loadConfig, withFlags } from './config.js'
import { createLogger, type Logger } from './platform/logger.js'

/** Loads what its part needs and no more: the primary of several workers has no use for the schema. */
async function start(config: Config, log: Logger): Promise<void> {
  if (config.workers === 1) {
    const { runAlone } = await import('./process/alone.js')
    return runAlone(config, log)
  }
  if (cluster.worker) {
    const { runWorker } = await import('./process/worker.js')
    return runWorker(config, log, cluster.worker)
  }
  const { runPrimary } = await import('./process/primary.js')
  return runPrimary(config, log, fileURLToPath(import.meta.url))
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
  const config = loadConfig(withFlags(process.env, process.argv))
  await start(config, createLogger(config.logLevel))
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exit(1)
}
