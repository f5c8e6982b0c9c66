import type { Logger } from '../platform/logger.js'

/** The process ends before an orchestrator kills it, usually after ten seconds, even if a stop hangs. */
export const STOP_MS = 9_500

/** Why a process ends, for its log. */
type Reason = Readonly<Record<string, string>>

/**
 * Stops at the first SIGTERM, SIGINT or SIGHUP (a terminal closes), or when the returned function is called, then ends the process: with `exitCode`
 * (default 0), or with 1 if stopping fails. Later signals are ignored: npm and the primary forward a signal that the process
 * group already got, and the second must not interrupt the first stop.
 */
export function stopOnce(
  stop: () => Promise<void>,
  log: Logger,
): (reason: Reason, exitCode?: number) => void {
  let isEnding = false
  const end = (reason: Reason, exitCode = 0) => {
    if (isEnding) return
    isEnding = true
    log.info(reason, 'stopping')
    setTimeout(() => {
      log.fatal('could not stop in time')
      process.exit(1)
    }, STOP_MS).unref()
    stop().then(
      () => {
        log.info('stopped')
        process.exit(exitCode)
      },
      (error: unknown) => {
        log.fatal({ err: error }, 'could not stop cleanly')
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => end({ signal }))
  return end
}
