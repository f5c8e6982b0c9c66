import cluster from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { hasHelpOption, startHelp, startOptionFault, withFlags } from './config/start-options.js'
import { type Config, ConfigError, loadConfig } from './config.js'
import { failureText } from './core/failure-text.js'
import { logForeignLines } from './platform/foreign-lines.js'
import { commandLine } from './platform/installation/command-line.js'
import { createLogger, type Logger } from './platform/logger.js'
import { VERSION } from './platform/version.js'

/** EX_CONFIG of sysexits.h: another start with the same settings fails too, so the systemd unit makes none. */
const WRONG_SETTINGS_EXIT = 78

/** Loads only the modules that the process needs: the primary of several workers does not need the schema. */
async function start(config: Config, log: Logger): Promise<void> {
  if (config.workers === 1) {
    const { runSingleProcess } = await import('./process/single-process.js')
    return runSingleProcess(config, log)
  }
  if (cluster.worker) {
    const { runWorker } = await import('./process/workers/worker.js')
    return runWorker(config, log, cluster.worker)
  }
  const { runPrimary } = await import('./process/workers/primary.js')
  return runPrimary(config, log, fileURLToPath(import.meta.url))
}

try {
  const args = process.argv.slice(2)
  if (hasHelpOption(args)) {
    process.stdout.write(startHelp(commandLine('start')))
    process.exit(0)
  }
  const fault = startOptionFault(args)
  if (fault !== null) throw new ConfigError(fault)
  const config = loadConfig(withFlags(process.env, args))
  const format = process.stdout.isTTY ? 'text' : 'json'
  const log = createLogger(config.logLevel, undefined, format)
  if (format === 'json') logForeignLines(log)
  // The primary says so for its workers; loading the rest takes a second.
  if (cluster.isPrimary) log.info({ version: VERSION, mode: config.mode }, 'starting')
  await start(config, log)
} catch (error) {
  process.stderr.write(`${failureText(error)}\n`)
  process.exit(error instanceof ConfigError ? WRONG_SETTINGS_EXIT : 1)
}
